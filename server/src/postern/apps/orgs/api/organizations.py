"""Organizations with their members by role: `orgs/orgs/`."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.relations import PKOnlyObject
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.orgs import people
from postern.apps.orgs.actions import create_organization, delete_organization, update_organization
from postern.apps.orgs.facade import require_licence_beyond_default, statistics
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.orgs.tenancy import STATISTICS
from postern.foundation import licensing
from postern.foundation.rest import labels
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import (
    ResourceViewSet,
    SelectionMissing,
)

#: Field of an organization → role of the members that it lists.
_ROLE_OF_FIELD: Mapping[str, OrgRole] = {"users": OrgRole.USER, "admins": OrgRole.ADMIN, "auditors": OrgRole.AUDITOR}


class MembersOfRole(OrgOwnedList):
    """Ids of an organization's members with one role."""

    def __init__(self, role: OrgRole, **kwargs: Any) -> None:
        super().__init__(get_user_model(), of_all_organizations=True, required=False, allow_null=True, **kwargs)
        self._role = role

    def get_attribute(self, instance: Any) -> Any:
        return [PKOnlyObject(pk=user_id) for user_id in people.PEOPLE.value.in_role(instance, self._role)]


class StatisticsSerializer(serializers.Serializer[Any]):
    """Number of objects of each kind in an organization."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: serializers.IntegerField(read_only=True, label=labels.label_of(name)) for name in STATISTICS}

    def get_attribute(self, instance: Organization) -> dict[str, int]:
        parent = self.parent
        if not isinstance(parent, OrganizationSerializer):
            raise TypeError("StatisticsSerializer must be used in a serializer of organizations")
        return parent.statistics_of(instance)


class OrganizationSerializer(ResourceSerializer):
    """An organization in a list. `is_root` is always false: the root organization is not stored."""

    resource_statistics = StatisticsSerializer(read_only=True, label=gettext_lazy("Resource statistics"))
    is_default = serializers.BooleanField(read_only=True, label=gettext_lazy("Is default"))
    is_root = serializers.BooleanField(read_only=True, label=gettext_lazy("Is root"))
    users = MembersOfRole(OrgRole.USER, write_only=True, label=gettext_lazy("Organization users"))
    admins = MembersOfRole(OrgRole.ADMIN, write_only=True, label=gettext_lazy("Organization administrators"))
    auditors = MembersOfRole(OrgRole.AUDITOR, write_only=True, label=gettext_lazy("Organization auditors"))

    #: Cached for all rows of the response.
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
        """The counts of one row. One query loads the counts of all rows of the response."""
        if self._counted is None or org.pk not in self._counted:
            rows = (
                getattr(self.parent, "instance", None) if isinstance(self.parent, serializers.ListSerializer) else None
            )
            self._counted = statistics([row.pk for row in rows] if rows is not None else [org.pk])
        return self._counted[org.pk]


class OrganizationDetailSerializer(OrganizationSerializer):
    """One organization, with the ids of its members."""

    users = MembersOfRole(OrgRole.USER, label=gettext_lazy("Organization users"))
    admins = MembersOfRole(OrgRole.ADMIN, label=gettext_lazy("Organization administrators"))
    auditors = MembersOfRole(OrgRole.AUDITOR, label=gettext_lazy("Organization auditors"))


class OrganizationViewSet(ResourceViewSet):
    """`orgs/orgs/`.

    Reading, and changing the default organization, are always open; creating and changing others needs a licence.
    """

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
        """All organizations: only system administrators have the right."""
        rows = Organization.objects.all()
        single = self.get_serializer_class() is OrganizationDetailSerializer
        return people.PEOPLE.value.beside(rows) if single else rows

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Locks nothing: each action locks its users first, and then the organization."""

    def create_object(self, data: dict[str, Any]) -> Organization:
        licensing.require()
        return create_organization(
            actor=self.actor,
            name=data["name"],
            comment=data.get("comment", ""),
            org_id=data.get("id"),
            members=_members(data),
        )

    def update_object(self, instance: Organization, data: dict[str, Any]) -> Organization:
        require_licence_beyond_default(instance.pk)
        update_organization(
            actor=self.actor,
            org=instance,
            name=data.get("name"),
            comment=data.get("comment"),
            members=_members(data),
        )
        return self.visible_rows().get(pk=instance.pk)

    def delete_object(self, instance: Organization) -> None:
        delete_organization(actor=self.actor, scope=self.scope, org=instance)

    def bulk_destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Always refused: organizations are deleted one by one."""
        raise SelectionMissing


class LicensedOrganizationViewSet(OrganizationViewSet):
    """`xpack/orgs/`: the same resource as part of the licensed extension."""

    needs_licence = True


def _members(data: dict[str, Any]) -> people.Members:
    """Role → users, for the roles in the body; null keeps the members of a role."""
    return {role: data[field] for field, role in _ROLE_OF_FIELD.items() if data.get(field) is not None}
