"""Memberships of users in organizations: `orgs/org-member-relation/` and the older membership paths."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.orgs import facade as orgs
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.holding import hold_all
from postern.apps.users.accounts.models import Membership, User
from postern.apps.users.memberships import actions as memberships
from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import (
    CreateMixin,
    DeleteMixin,
    ReadOnlyViewSet,
    RowsViewSet,
    UpdateMixin,
)


class HoldingPeople(RowsViewSet):
    """Bulk writes of memberships lock all affected users together."""

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        del deleting  # the membership is deleted, its user stays
        people = {row.user_id for row in rows} | {item["user"].pk for item in values if "user" in item}
        hold_all(self.actor, people, memberships=True)


class MembershipSerializer(ResourceSerializer):
    org = serializers.PrimaryKeyRelatedField(queryset=Organization.objects.all(), label=gettext_lazy("Organization"))
    org_display = serializers.CharField(source="org", read_only=True)
    user_display = serializers.CharField(source="user", read_only=True)
    role_display = serializers.CharField(source="get_role_display", read_only=True)

    class Meta:
        model = Membership
        fields = ("id", "role", "role_display", "org", "org_display", "user", "user_display")

    immutable_fields = ("org", "user")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if isinstance(self.instance, Membership):
            return super().validate(attrs)
        return attrs  # the contract ignores duplicates


class MembershipViewSet(HoldingPeople, CreateMixin, UpdateMixin, DeleteMixin, ReadOnlyViewSet):
    """`orgs/org-member-relation/`: memberships of all organizations, for super administrators."""

    queryset = Membership.objects.all()
    serializer_class = MembershipSerializer
    rights = Right.SUPER_USER
    always_root = True

    filter_fields: ClassVar[Mapping[str, str]] = {
        "org_id": "org_id",
        "user_id": "user_id",
        "org": "org_id",
        "user": "user_id",
        "role": "role",
        "id": "id",
    }
    search_fields = ("user__name", "user__username", "org__name")
    ordering_fields = ("role", "date_created")

    def visible_rows(self) -> QuerySet[Membership]:
        return Membership.objects.select_related("org", "user")

    def create_object(self, data: dict[str, Any]) -> Membership:
        return self._add(data["org"].pk, data["user"], data.get("role", "User"))

    def _add(self, org_id: UUID, user: User, role: str) -> Membership:
        orgs.require_licence_beyond_default(org_id)
        known = memberships.known_org_role(role)
        memberships.add_org_role(actor=self.actor, scope=OrgScope(org_id), user=user, role=known)
        return self.visible_rows().get(org=org_id, user=user, role=known)

    def update_object(self, instance: Membership, data: dict[str, Any]) -> Membership:
        orgs.require_licence_beyond_default(instance.org_id)
        role = memberships.known_org_role(data.get("role", instance.role))
        memberships.change_org_role(actor=self.actor, row=instance, role=role)
        return self.visible_rows().get(pk=instance.pk)

    def delete_object(self, instance: Membership) -> None:
        scope = OrgScope(instance.org_id)
        memberships.take_org_role(actor=self.actor, scope=scope, user=instance.user, role=instance.role)


class MemberOfOneOrganizationSerializer(ResourceSerializer):
    organization = serializers.UUIDField(source="org_id", read_only=True, label=gettext_lazy("Organization"))

    class Meta:
        model = Membership
        fields = ("id", "organization", "user")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs  # the contract ignores duplicates


class MembersOfOneOrganizationViewSet(HoldingPeople, CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """`orgs/orgs/{org_id}/membership/…`: the members of one organization with one role, addressed by user id."""

    queryset = Membership.objects.all()
    serializer_class = MemberOfOneOrganizationSerializer
    rights = Right.SUPER_USER
    always_root = True

    role: OrgRole
    lookup_field = "user_id"
    filter_fields: ClassVar[Mapping[str, str]] = MembershipViewSet.filter_fields
    search_fields = MembershipViewSet.search_fields
    ordering_fields = ("date_created",)

    @property
    def _scope_of_url(self) -> OrgScope:
        return orgs.find_scope(self.kwargs.get("org_id", "default"))

    def visible_rows(self) -> QuerySet[Membership]:
        rows = Membership.objects.filter(org_id=self._scope_of_url.org_id, role=self.role)
        return rows.select_related("org", "user")

    def create_object(self, data: dict[str, Any]) -> Membership:
        scope = self._scope_of_url
        orgs.require_licence_beyond_default(scope.org_id)
        memberships.add_org_role(actor=self.actor, scope=scope, user=data["user"], role=self.role)
        return self.visible_rows().get(user=data["user"])

    def delete_object(self, instance: Membership) -> None:
        scope = OrgScope(instance.org_id)
        memberships.take_org_role(actor=self.actor, scope=scope, user=instance.user, role=instance.role)


class AdminsOfOneOrganizationViewSet(MembersOfOneOrganizationViewSet):
    role = OrgRole.ADMIN


class UsersOfOneOrganizationViewSet(MembersOfOneOrganizationViewSet):
    role = OrgRole.USER
