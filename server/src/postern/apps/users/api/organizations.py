"""Organizations and who belongs to them: `orgs/orgs/`, `orgs/org-member-relation/` and the older membership paths."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.relations import PKOnlyObject
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.orgs import facade as orgs
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.actions import memberships, organizations
from postern.apps.users.actions.holding import hold_all
from postern.apps.users.models import Membership, User
from postern.foundation import licensing
from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import (
    CreateMixin,
    DeleteMixin,
    ReadOnlyViewSet,
    ResourceViewSet,
    RowsViewSet,
    SelectionMissing,
    UpdateMixin,
)
from postern.kernel.ids import DEFAULT_ORG_ID

#: Field of an organization → role of the people that it lists.
_ROLE_OF_FIELD: Mapping[str, OrgRole] = {"users": OrgRole.USER, "admins": OrgRole.ADMIN, "auditors": OrgRole.AUDITOR}

_LABELS: Mapping[str, Any] = {
    "users_amount": gettext_lazy("Users amount"),
    "groups_amount": gettext_lazy("Groups amount"),
    "assets_amount": gettext_lazy("Assets amount"),
    "nodes_amount": gettext_lazy("Nodes amount"),
    "admin_users_amount": gettext_lazy("Admin users amount"),
    "system_users_amount": gettext_lazy("System users amount"),
    "domains_amount": gettext_lazy("Domains amount"),
    "gateways_amount": gettext_lazy("Gateways amount"),
    "applications_amount": gettext_lazy("Applications amount"),
    "asset_perms_amount": gettext_lazy("Asset permissions amount"),
    "app_perms_amount": gettext_lazy("Application permissions amount"),
}


def require_licence_beyond_default(org_id: UUID) -> None:
    """Giving rights in, and changing, any but the default organization is licensed; taking rights away never is."""
    if org_id != DEFAULT_ORG_ID:
        licensing.require()


class MembersOfRole(OrgOwnedList):
    """The ids of an organization's people in one role."""

    def __init__(self, role: OrgRole, **kwargs: Any) -> None:
        super().__init__(User, of_all_organizations=True, required=False, allow_null=True, **kwargs)
        self._role = role

    def get_attribute(self, instance: Any) -> Any:
        return [PKOnlyObject(pk=row.user_id) for row in instance.memberships.all() if row.role == self._role]


class StatisticsSerializer(serializers.Serializer[Any]):
    """How much of everything an organization has."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: serializers.IntegerField(read_only=True, label=_LABELS[name]) for name in orgs.STATISTICS}

    def get_attribute(self, instance: Organization) -> dict[str, int]:
        parent = self.parent
        if not isinstance(parent, OrganizationSerializer):
            raise TypeError("StatisticsSerializer belongs into a serializer of organizations")
        return parent.statistics_of(instance)


class OrganizationSerializer(ResourceSerializer):
    """An organization in a list. `is_root` is always false: the root organization is not stored."""

    resource_statistics = StatisticsSerializer(read_only=True, label=gettext_lazy("Resource statistics"))
    is_default = serializers.BooleanField(read_only=True, label=gettext_lazy("Is default"))
    is_root = serializers.BooleanField(read_only=True, label=gettext_lazy("Is root"))
    users = MembersOfRole(OrgRole.USER, write_only=True, label=gettext_lazy("Organization users"))
    admins = MembersOfRole(OrgRole.ADMIN, write_only=True, label=gettext_lazy("Organization administrators"))
    auditors = MembersOfRole(OrgRole.AUDITOR, write_only=True, label=gettext_lazy("Organization auditors"))

    #: Counted once, for all rows of the answer.
    _counted: dict[UUID, dict[str, int]] | None = None

    class Meta:
        model = Organization
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini,
            "resource_statistics",
            "is_default",
            "is_root",
            "date_created",
            "comment",
            "created_by",
        )
        fields = (*fields_small, "users", "admins", "auditors")
        read_only_fields = ("created_by", "date_created")

    def statistics_of(self, org: Organization) -> dict[str, int]:
        """The counts of one row; those of all rows of the answer are found with one query."""
        if self._counted is None or org.pk not in self._counted:
            rows = (
                getattr(self.parent, "instance", None) if isinstance(self.parent, serializers.ListSerializer) else None
            )
            self._counted = orgs.statistics([row.pk for row in rows] if rows is not None else [org.pk])
        return self._counted[org.pk]


class OrganizationDetailSerializer(OrganizationSerializer):
    """One organization, with the ids of its people."""

    users = MembersOfRole(OrgRole.USER, label=gettext_lazy("Organization users"))
    admins = MembersOfRole(OrgRole.ADMIN, label=gettext_lazy("Organization administrators"))
    auditors = MembersOfRole(OrgRole.AUDITOR, label=gettext_lazy("Organization auditors"))


class OrganizationViewSet(ResourceViewSet):
    """`orgs/orgs/`. Reading and the default organization are open; founding and changing others needs a licence."""

    importable = False
    queryset = Organization.objects.all()
    serializer_class = OrganizationSerializer
    serializer_classes = {
        "retrieve": OrganizationDetailSerializer,
        "update": OrganizationDetailSerializer,
        "partial_update": OrganizationDetailSerializer,
    }
    rights = Right.SUPER_USER
    made_in_organization = changed_in_organization = False
    filter_fields = ("name",)
    search_fields = ("name", "comment")
    ordering_fields = ("name", "date_created")

    def visible_rows(self) -> QuerySet[Organization]:
        """All of them: the right is the system administrator's."""
        rows = Organization.objects.all()
        single = self.get_serializer_class() is OrganizationDetailSerializer
        return rows.prefetch_related("memberships") if single else rows

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Nothing: each action locks its people first, and then the organization."""

    def create_object(self, data: dict[str, Any]) -> Organization:
        licensing.require()
        members = _members(data)
        return organizations.found_organization(actor=self.actor, columns=data, members=members)

    def update_object(self, instance: Organization, data: dict[str, Any]) -> Organization:
        require_licence_beyond_default(instance.pk)
        members = _members(data)
        organizations.change_organization(actor=self.actor, org=instance, columns=data, members=members)
        return self.visible_rows().get(pk=instance.pk)

    def delete_object(self, instance: Organization) -> None:
        orgs.delete_organization(actor=self.actor, scope=self.scope, org=instance)

    def bulk_destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Always refused: organizations are deleted one by one."""
        raise SelectionMissing


class LicensedOrganizationViewSet(OrganizationViewSet):
    """`xpack/orgs/`: the same, as a part of the licensed extension."""

    needs_licence = True


def _members(data: dict[str, Any]) -> dict[str, list[User]]:
    """Role → people, for the roles that the body names; null means: leave them."""
    return {role: data[field] for field, role in _ROLE_OF_FIELD.items() if data.get(field) is not None}


class HoldingPeople(RowsViewSet):
    """Array writes of memberships lock the people whom they are about, all at once."""

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        del deleting  # a membership goes, its person stays
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
    """`orgs/org-member-relation/`: who belongs to which organization, for super administrators."""

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
        require_licence_beyond_default(org_id)
        known = memberships.known_org_role(role)
        memberships.add_org_role(actor=self.actor, scope=OrgScope(org_id), user=user, role=known)
        return self.visible_rows().get(org=org_id, user=user, role=known)

    def update_object(self, instance: Membership, data: dict[str, Any]) -> Membership:
        require_licence_beyond_default(instance.org_id)
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
        return attrs  # as above


class MembersOfOneOrganizationViewSet(HoldingPeople, CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """`orgs/orgs/{org_id}/membership/…`: the people of one role in one organization, found by their own id."""

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
        require_licence_beyond_default(scope.org_id)
        memberships.add_org_role(actor=self.actor, scope=scope, user=data["user"], role=self.role)
        return self.visible_rows().get(user=data["user"])

    def delete_object(self, instance: Membership) -> None:
        scope = OrgScope(instance.org_id)
        memberships.take_org_role(actor=self.actor, scope=scope, user=instance.user, role=instance.role)


class AdminsOfOneOrganizationViewSet(MembersOfOneOrganizationViewSet):
    role = OrgRole.ADMIN


class UsersOfOneOrganizationViewSet(MembersOfOneOrganizationViewSet):
    role = OrgRole.USER
