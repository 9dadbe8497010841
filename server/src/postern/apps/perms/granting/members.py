"""The users of one permission, with groups resolved, and the search in its lists."""

from typing import TypeVar

from django.db.models import Model, Q, QuerySet

from postern.apps.perms.granting.kind import Kind, P
from postern.apps.users.models import User, UserGroupMember

_MAX_WORDS = 8
Row = TypeVar("Row", bound=Model)


def users_of(kind: Kind[P], permission: P, search: str) -> QuerySet[User]:
    """Users whom the permission names directly or through a group, by username."""
    direct = kind.users.rows_of(permission.pk).values("user_id")
    members = UserGroupMember.objects.filter(**{f"usergroup__{kind.reverse}__{kind.parent}": permission})
    # the members of a union must not be ordered
    rows = User.objects.filter(pk__in=direct.union(members.order_by().values("user_id")))
    return searched(rows, search, ("username", "name")).order_by("username")


def searched(rows: QuerySet[Row], search: str, columns: tuple[str, ...]) -> QuerySet[Row]:
    """The rows that have every word of the search in one of the columns."""
    for word in search.replace("\x00", "").split()[:_MAX_WORDS]:
        condition = Q()
        for column in columns:
            condition |= Q((f"{column}__icontains", word))
        rows = rows.filter(condition)
    return rows
