"""Endpoints of permissions of any kind: the resource, its links, and who is named."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.perms.granting import actions, holding
from postern.apps.perms.granting.kind import Kind
from postern.apps.perms.granting.links import Link
from postern.apps.perms.granting.members import users_of
from postern.apps.users.models import Membership, User
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.scope import writable
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, ReadOnlyViewSet, ResourceViewSet, RowNotFound
from postern.kernel.ids import parse_id


def amounts_of(kind: Kind[Any]) -> dict[str, Amount]:
    """Length of each list of a permission, for `amounts` of a view."""
    return {
        f"{link.list_name}_amount": Amount(link.table, f"{kind.parent}_id", of=link.list_name) for link in kind.links
    }


class PermissionViewSet(ResourceViewSet):
    """Permissions of the kind that the subclass names."""

    kind: ClassVar[Kind[Any]]

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        links = self.kind.links
        named = {
            link: {instance.pk for item in values for instance in item.get(link.list_name) or ()} for link in links
        }
        spoken_of = [link for link in links if deleting or any(link.list_name in item for item in values)]
        org_ids = {row.org_id for row in rows} or {self.scope.org_id}
        holding.hold(self.kind, [row.pk for row in rows], org_ids, named=named, links=spoken_of, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> Any:
        return self.create_objects([data])[0]

    def create_objects(self, items: Sequence[dict[str, Any]]) -> list[Any]:
        return actions.create_permissions(self.kind, actor=self.actor, org_id=writable(self.scope), items=items)

    def update_object(self, instance: Any, data: dict[str, Any]) -> Any:
        return actions.update_permission(self.kind, actor=self.actor, permission=instance, values=data)

    def update_objects(self, pairs: Sequence[tuple[Any, dict[str, Any]]]) -> list[Any]:
        return actions.update_permissions(self.kind, actor=self.actor, pairs=pairs)

    def delete_object(self, instance: Any) -> None:
        actions.delete_permission(self.kind, actor=self.actor, permission=instance)

    @action(detail=True, methods=["get"], url_path="users/all", url_name="users-all")
    def users_all(self, request: Request, **kwargs: Any) -> Response:
        """Users whom the permission names directly or through a group."""
        permission = self.get_object()
        rows = users_of(self.kind, permission, request.query_params.get("search", ""))
        direct = set(permission.user_rows.values_list("user_id", flat=True))
        return self.page_of(
            rows, lambda user: {"user": str(user.pk), "user_display": str(user), "direct": user.pk in direct}
        )

    def page_of(self, rows: QuerySet[Any], shape: Callable[[Any], dict[str, Any]]) -> Response:
        """The page of these rows that the request asks for, or all of them."""
        page = self.paginate_queryset(rows)
        if page is not None:
            return self.get_paginated_response([shape(row) for row in page])
        return Response([shape(row) for row in rows])

    def asked_about(
        self, request: Request, target: type[Model], names: tuple[str, str, str]
    ) -> tuple[UUID, UUID, UUID]:
        """Ids of a user, a target and a system user in the parameters with these names.

        Raises ValidationError for what is no id, and RowNotFound for objects that the caller may not see.
        """
        ids = {name: parse_id(request.query_params.get(name, "")) for name in names}
        errors = {name: [_("Enter the id of an object.")] for name, object_id in ids.items() if object_id is None}
        if errors:
            raise ValidationError(errors)
        user_id, target_id, system_user_id = (object_id for object_id in ids.values() if object_id is not None)
        self._require_own(user_id, target, target_id, system_user_id)
        return user_id, target_id, system_user_id

    def _require_own(self, user_id: UUID, target: Any, target_id: UUID, system_user_id: UUID) -> None:
        """Administrators may query their own organization only (K16: ids of other organizations are not found)."""
        people = User.objects.filter(pk=user_id)
        if not self.scope.is_root:
            people = people.filter(pk__in=Membership.objects.filter(org_id=self.scope.org_id).values("user_id"))
        visible = (
            target.objects.visible_to(self.actor, self.scope).filter(pk=target_id).exists()
            and SystemUser.objects.visible_to(self.actor, self.scope).filter(pk=system_user_id).exists()
            and people.exists()
        )
        if not visible:
            raise RowNotFound(_("Not found."))


class LinkViewSet(CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """Rows of one link table. They are created and deleted, never changed."""

    rights = dict.fromkeys(("list", "retrieve", "create", "destroy"), Right.ORG_ADMIN)
    kind: ClassVar[Kind[Any]]
    link: Link

    def visible_permissions(self) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.kind.model.objects.visible_to(self.actor, self.scope)
        return rows

    def visible_rows(self) -> QuerySet[Any]:
        visible = self.visible_permissions().filter(pk=OuterRef(f"{self.kind.parent}_id"))
        rows: QuerySet[Any] = self.link.rows.filter(Exists(visible))
        return rows.select_related(self.kind.parent, self.link.column).order_by("pk")

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        del deleting  # the link is deleted, its permission stays
        parent, column = self.kind.parent, self.link.column
        permissions = {getattr(row, parent) for row in rows} | {item[parent] for item in values}
        named = {getattr(row, f"{column}_id") for row in rows} | {item[column].pk for item in values}
        holding.hold(
            self.kind,
            {permission.pk for permission in permissions},
            {permission.org_id for permission in permissions},
            named={self.link: named},
        )

    def create_object(self, data: dict[str, Any]) -> Any:
        return actions.add_link(
            self.kind,
            actor=self.actor,
            permission=data[self.kind.parent],
            link=self.link,
            target=data[self.link.column],
        )

    def delete_object(self, instance: Any) -> None:
        actions.remove_link(self.kind, actor=self.actor, link=self.link, row=instance)


def link_viewset(
    base: type[LinkViewSet], link: Link, serializer: type[Any], search: tuple[str, ...], **attributes: Any
) -> type[LinkViewSet]:
    """The view set of one link table. `search`: columns of the objects. `attributes`: more of the view set."""
    parent = base.kind.parent
    return type(
        f"{link.table.__name__}ViewSet",
        (base,),
        {
            "link": link,
            "queryset": link.rows.all(),
            "serializer_class": serializer,
            "filter_fields": ("id", link.column, parent),
            "search_fields": (*search, f"{parent}__name"),
            "__module__": base.__module__,
            **attributes,
        },
    )
