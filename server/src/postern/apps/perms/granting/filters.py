"""List filters of permissions by the objects they name (contract: "Query filters"). An unknown reference matches
nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from postern.apps.perms.granting.kind import Kind, P
from postern.apps.perms.granting.links import Link
from postern.apps.users.models import UserGroupMember
from postern.kernel.ids import parse_id

_NO: Final = frozenset({"0", "false", "no"})
_YES: Final = frozenset({"1", "true", "yes"})
_Ids = QuerySet[Any, Any]
#: Names of the filters that are the same for every kind, for the API description.
STATES: Final = ("is_valid", "is_effective", "all")


@dataclass(frozen=True, slots=True)
class ObjectFilter:
    """Parameters that mean objects at the end of one link, each with the column that it is compared with."""

    link: Link
    columns: Mapping[str, str]
    #: Ids of permissions that name the objects directly or through a group or node; used unless `all` is off.
    inherited: Callable[[_Ids], _Ids] | None = None

    def permissions(self, name: str, text: str, *, inherited: bool) -> _Ids:
        """Ids of the permissions that name the objects which `name=text` means."""
        ids = _ids(self.link.target.objects.all(), self.columns[name], text)
        return self.inherited(ids) if self.inherited and inherited else self.link.naming(ids)


def of_users(users: Link, user_groups: Link) -> ObjectFilter:
    """By a user, whom a permission names directly or through a group."""

    def inherited(ids: _Ids) -> _Ids:
        groups = UserGroupMember.objects.filter(user_id__in=ids).order_by().values("usergroup_id")
        return users.naming(ids).union(user_groups.naming(groups))

    return ObjectFilter(users, {"user_id": "pk", "username": "username"}, inherited)


def of_user_groups(link: Link) -> ObjectFilter:
    return ObjectFilter(link, {"user_group_id": "pk", "user_group": "name"})


def of_system_users(link: Link) -> ObjectFilter:
    return ObjectFilter(link, {"system_user_id": "pk", "system_user": "name"})


def narrowed(
    kind: Kind[P], filters: tuple[ObjectFilter, ...], rows: QuerySet[P], params: Mapping[str, str], at: datetime
) -> QuerySet[P]:
    """The rows that match the filters of one request at an instant."""
    inherited = params.get("all", "1").lower() not in _NO
    for definition in filters:
        for name in definition.columns:
            if params.get(name):
                rows = rows.filter(pk__in=definition.permissions(name, params[name], inherited=inherited))
    if params.get("is_valid"):
        valid = _valid_at(at)
        rows = rows.filter(valid if params["is_valid"].lower() in _YES else ~valid)
    if params.get("is_effective"):
        effective = _effective_at(kind, at)
        rows = rows.filter(effective if params["is_effective"].lower() in _YES else ~effective)
    return rows


def _valid_at(at: datetime) -> Q:
    return Q(is_active=True, date_start__lte=at, date_expired__gt=at)


def _effective_at(kind: Kind[P], at: datetime) -> Q:
    """Valid, and names at least one subject, one object and a system user, and whatever else the kind needs."""
    this = OuterRef("pk")
    member = UserGroupMember.objects.filter(**{f"usergroup__{kind.reverse}__{kind.parent}": this})
    who = Q(Exists(kind.users.rows_of(this))) | Q(Exists(member))
    what = Q()
    for link in kind.objects:
        what |= Q(Exists(link.rows_of(this)))
    return _valid_at(at) & kind.effective & who & what & Q(Exists(kind.system_users.rows_of(this)))


def _ids(rows: QuerySet[Any], column: str, text: str) -> _Ids:
    """Ids of the objects that match a filter value; empty when none matches."""
    if column == "pk":
        parsed_id = parse_id(text)
        return (rows.filter(pk=parsed_id) if parsed_id else rows.none()).order_by().values("pk")
    return rows.filter(Q((column, text.replace("\x00", "")))).order_by().values("pk")
