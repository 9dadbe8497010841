"""Keeps the accounts of applications in step with the permissions that grant them, in the same transaction."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from django.db.models import Q

from postern.apps.applications import facade as applications
from postern.apps.perms.application_grants.links import APPLICATIONS, SYSTEM_USERS
from postern.apps.perms.application_grants.models import ApplicationPermissionApplication
from postern.apps.perms.grants.links import Link

#: (application, system user)
Pair = tuple[UUID, UUID]
_SYSTEM_USER: Final = "applicationpermission__system_user_rows__systemuser_id"
#: Keys per query, because SQLite limits the number of parameters.
_SET: Final = 500


@contextmanager
def kept(org_id: UUID, permission_ids: Collection[UUID], *, only: tuple[Link, UUID] | None = None) -> Iterator[None]:
    """Around a write of these permissions, whose rows are locked. `only`: the one link that the write adds or removes."""
    if only is not None and only[0] not in {APPLICATIONS, SYSTEM_USERS}:
        yield
        return
    before = _granted_by(permission_ids, only)
    yield
    after = _granted_by(permission_ids, only)
    if after - before:
        applications.grant_accounts(org_id, after - before)
    if before - after:
        applications.hold_accounts(before - after)
        applications.withdraw_accounts(_no_longer_granted(before - after))


def _granted_by(permission_ids: Collection[UUID], only: tuple[Link, UUID] | None) -> set[Pair]:
    narrow = Q()
    if only is not None:
        narrow = Q(application_id=only[1]) if only[0] is APPLICATIONS else Q((_SYSTEM_USER, only[1]))
    ids = sorted(permission_ids)
    pairs: set[Pair] = set()
    for start in range(0, len(ids), _SET):
        pairs |= _pairs(narrow & Q(applicationpermission_id__in=ids[start : start + _SET]))
    return pairs


def _no_longer_granted(pairs: set[Pair]) -> set[Pair]:
    ids = sorted({application_id for application_id, _system_user_id in pairs})
    still: set[Pair] = set()
    for start in range(0, len(ids), _SET):
        still |= _pairs(Q(application_id__in=ids[start : start + _SET]))
    return pairs - still


def _pairs(which: Q) -> set[Pair]:
    named = Q((f"{_SYSTEM_USER}__isnull", False))
    rows = ApplicationPermissionApplication.objects.filter(which & named).order_by()
    return set(rows.values_list("application_id", _SYSTEM_USER))
