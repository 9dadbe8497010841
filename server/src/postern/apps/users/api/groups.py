"""Groups, their members, and memberships of organizations."""

from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.orgs.models import Organization
from postern.apps.users.actions import groups, memberships
from postern.apps.users.models import Membership, User, UserGroup, UserGroupMember
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, ReadOnlyViewSet, ResourceViewSet
from postern.foundation.scope import OrgScope

_ORG_ADMIN_WRITES = {
    "list": Right.ORG_ADMIN,
    "retrieve": Right.ORG_ADMIN,
    "create": Right.ORG_ADMIN,
    "update": Right.ORG_ADMIN,
    "partial_update": Right.ORG_ADMIN,
    "bulk_update": Right.ORG_ADMIN,
    "partial_bulk_update": Right.ORG_ADMIN,
    "destroy": Right.ORG_ADMIN,
    "bulk_destroy": Right.ORG_ADMIN,
}


class UserGroupSerializer(ResourceSerializer):
    users = serializers.PrimaryKeyRelatedField(
        many=True, required=False, queryset=User.objects.all(), label=gettext_lazy("User")
    )
    users_amount = serializers.SerializerMethodField()

    class Meta:
        model = UserGroup
        fields_mini = ("id", "name")
        fields_small = (*fields_mini, "comment", "date_created", "created_by")
        fields = (*fields_small, "users", "users_amount", "org_id", "org_name")
        read_only_fields = ("date_created", "created_by")

    def get_users_amount(self, group: UserGroup) -> int:
        counted = getattr(group, "users_counted", None)
        return counted if counted is not None else group.users.count()


class UserGroupViewSet(ResourceViewSet):
    """`users/groups/`."""

    queryset = UserGroup.objects.all()
    serializer_class = UserGroupSerializer
    rights = _ORG_ADMIN_WRITES
    filter_fields = ("name",)
    search_fields = ("name",)
    ordering_fields = ("name", "date_created", "created_by", "comment")
    default_order = ("name",)

    def visible_rows(self) -> QuerySet[UserGroup]:
        rows: QuerySet[UserGroup] = super().visible_rows()
        return rows.annotate(users_counted=Count("member_rows")).prefetch_related("users")

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

    def delete_object(self, instance: UserGroup) -> None:
        groups.delete_group(actor=self.actor, group=instance)


class GroupMemberSerializer(ResourceSerializer):
    user_display = serializers.CharField(source="user", read_only=True)
    usergroup_display = serializers.CharField(source="usergroup", read_only=True)

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
        return attrs  # adding somebody who is in the group already changes nothing: no uniqueness error


class GroupMemberViewSet(CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """`users/users-groups-relations/`: who is in which group, row by row."""

    queryset = UserGroupMember.objects.all()
    serializer_class = GroupMemberSerializer
    rights = _ORG_ADMIN_WRITES
    filter_fields = ("user", "usergroup")
    search_fields = ("user__username", "user__name", "usergroup__name")
    ordering_fields = ("id",)

    def visible_rows(self) -> QuerySet[UserGroupMember]:
        group_rows = UserGroup.objects.visible_to(self.actor, self.scope)
        return UserGroupMember.objects.filter(usergroup__in=group_rows).select_related("user", "usergroup")

    def create_object(self, data: dict[str, Any]) -> UserGroupMember:
        return groups.add_to_group(actor=self.actor, group=data["usergroup"], user=data["user"])

    def delete_object(self, instance: UserGroupMember) -> None:
        groups.take_from_group(actor=self.actor, row=instance)

    def bulk_destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Exactly one row, or a named selection."""
        params = request.query_params
        if not (params.get("spm") or params.get("ids")) and self.filter_queryset(self.get_queryset()).count() != 1:
            return Response(status=status.HTTP_400_BAD_REQUEST)
        return super().bulk_destroy(request, *args, **kwargs)


class MembershipSerializer(ResourceSerializer):
    org = serializers.PrimaryKeyRelatedField(queryset=Organization.objects.all(), label=gettext_lazy("Organization"))
    org_display = serializers.CharField(source="org", read_only=True)
    user_display = serializers.CharField(source="user", read_only=True)
    role_display = serializers.CharField(source="get_role_display", read_only=True)

    class Meta:
        model = Membership
        fields = ("id", "role", "role_display", "org", "org_display", "user", "user_display")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs  # the contract ignores duplicates


class MembershipViewSet(CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """`orgs/org-member-relation/`: who belongs to which organization, for super administrators."""

    queryset = Membership.objects.all()
    serializer_class = MembershipSerializer
    rights = Right.SUPER_USER
    always_root = True
    filter_fields = {
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

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        many = isinstance(request.data, list)
        serializer = self.get_serializer(data=request.data, many=many)
        serializer.is_valid(raise_exception=True)
        with transaction.atomic():
            items = serializer.validated_data if many else [serializer.validated_data]
            made = [self.create_object(dict(item)) for item in items]
        return Response(self.present(made if many else made[0], many=many), status=status.HTTP_201_CREATED)

    def create_object(self, data: dict[str, Any]) -> Membership:
        scope = OrgScope(data["org"].pk)
        role = memberships.known_org_role(data.get("role", "User"))
        memberships.add_org_role(actor=self.actor, scope=scope, user=data["user"], role=role)
        return Membership.objects.select_related("org", "user").get(org=data["org"], user=data["user"], role=role)

    def delete_object(self, instance: Membership) -> None:
        scope = OrgScope(instance.org_id)
        memberships.take_org_role(actor=self.actor, scope=scope, user=instance.user, role=instance.role)
