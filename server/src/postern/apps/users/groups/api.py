"""Groups and their members."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.users.accounts.models import User
from postern.apps.users.groups import actions as groups
from postern.apps.users.groups.models import UserGroup, UserGroupMember
from postern.foundation.rest.naming import by, itself, key_in
from postern.foundation.rest.related import Amount
from postern.foundation.rest.relations import OrgOwnedField, OrgOwnedList
from postern.foundation.rest.rights import ORG_ADMIN_ONLY
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import (
    CreateMixin,
    DeleteMixin,
    ReadOnlyViewSet,
    ResourceViewSet,
    SelectionMissing,
)

#: Columns by which an import file may refer to a user.
PEOPLE: Final = by(("username", itself), ("username", key_in), ("name", itself))


class UserGroupSerializer(ResourceSerializer):
    users = OrgOwnedList(User, named=PEOPLE, required=False, label=gettext_lazy("User"))
    users_amount = serializers.IntegerField(read_only=True)

    class Meta:
        model = UserGroup
        fields_mini = ("id", "name")
        fields_small = (*fields_mini, "comment", "date_created", "created_by")
        fields = (*fields_small, "users", "users_amount", "org_id", "org_name")
        read_only_fields = ("date_created", "created_by")


class UserGroupViewSet(ResourceViewSet):
    """`users/groups/`."""

    queryset = UserGroup.objects.all()
    serializer_class = UserGroupSerializer
    examples = {"name": "example"}
    rights = ORG_ADMIN_ONLY
    filter_fields = ("name",)
    search_fields = ("name",)
    ordering_fields = ("name", "date_created", "created_by", "comment")
    default_order = ("name",)
    amounts = {"users_amount": Amount(UserGroupMember, "usergroup_id", of="users")}

    def visible_rows(self) -> QuerySet[UserGroup]:
        rows: QuerySet[UserGroup] = super().visible_rows()
        return rows.prefetch_related(Prefetch("users", User.objects.only("pk").order_by()))

    def create_object(self, data: dict[str, Any]) -> UserGroup:
        return groups.create_group(
            actor=self.actor,
            scope=self.scope,
            name=data["name"],
            comment=data.get("comment", ""),
            user_ids=[user.pk for user in data.get("users", ())],
        )

    def update_object(self, instance: UserGroup, data: dict[str, Any]) -> UserGroup:
        users = data.get("users")
        groups.update_group(
            actor=self.actor,
            group=instance,
            name=data.get("name"),
            comment=data.get("comment"),
            user_ids=None if users is None else [user.pk for user in users],
        )
        return self.visible_rows().get(pk=instance.pk)

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        groups.hold_groups(
            actor=self.actor,
            group_ids=[group.pk for group in rows],
            user_ids={user.pk for item in values for user in item.get("users", ())},
            replacing=any("users" in item for item in values),
            deleting=deleting,
        )

    def delete_object(self, instance: UserGroup) -> None:
        groups.delete_group(actor=self.actor, group=instance)


class GroupMemberSerializer(ResourceSerializer):
    user = OrgOwnedField(User, named=PEOPLE, label=gettext_lazy("User"))
    user_display = serializers.CharField(source="user", read_only=True, label=gettext_lazy("User"))
    usergroup_display = serializers.CharField(source="usergroup", read_only=True, label=gettext_lazy("User group"))

    class Meta:
        model = UserGroupMember
        fields = ("id", "user", "user_display", "usergroup", "usergroup_display")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        scope, group = self.context.get("scope"), fields.get("usergroup")
        if scope is not None and isinstance(group, serializers.PrimaryKeyRelatedField):
            group.queryset = UserGroup.objects.in_scope(scope)  # type: ignore[arg-type]  # the stubs take `queryset` for a manager
        return fields

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs  # adding an existing member is not an error, so there is no uniqueness check


class GroupMemberViewSet(CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """`users/users-groups-relations/`: the members of groups, one row per membership."""

    queryset = UserGroupMember.objects.all()
    serializer_class = GroupMemberSerializer
    rights = ORG_ADMIN_ONLY
    filter_fields = ("user", "usergroup")
    search_fields = ("user__username", "user__name", "usergroup__name")
    ordering_fields = ("id",)

    def visible_rows(self) -> QuerySet[UserGroupMember]:
        visible = UserGroup.objects.visible_to(self.actor, self.scope).filter(pk=OuterRef("usergroup_id"))
        return UserGroupMember.objects.filter(Exists(visible)).select_related("user", "usergroup")

    def create_object(self, data: dict[str, Any]) -> UserGroupMember:
        return groups.add_to_group(actor=self.actor, group=data["usergroup"], user=data["user"])

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        del deleting
        group_ids = {row.usergroup_id for row in rows} | {item["usergroup"].pk for item in values}
        members = {row.user_id for row in rows} | {item["user"].pk for item in values}
        groups.hold_groups(actor=self.actor, group_ids=group_ids, user_ids=members)

    def delete_object(self, instance: UserGroupMember) -> None:
        groups.take_from_group(actor=self.actor, row=instance)

    def bulk_destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Delete exactly one row, or a named selection."""
        params = request.query_params
        if not (params.get("spm") or params.get("ids")) and self.filter_queryset(self.get_queryset()).count() != 1:
            raise SelectionMissing
        return super().bulk_destroy(request, *args, **kwargs)
