"""Warns users before their password, their account or one of their access keys ends: at most once a day, in the last
five days. For a service account, its administrators are warned before it or one of its access keys ends.

A stored row with a unique constraint marks one warning of one day, and is written in the transaction of its message. So
of several workers one sends it, and a killed worker leaves neither of the two.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from postern.apps.authn.models import AccessKey
from postern.apps.notifications.actions import tell, tell_person
from postern.apps.notifications.declarations.declaration import Notice
from postern.apps.notifications.declarations.expiries import (
    ACCESS_KEY_EXPIRING,
    ACCOUNT_EXPIRING,
    PASSWORD_EXPIRING,
    SERVICE_ACCOUNT_EXPIRING,
    Ending,
)
from postern.apps.notifications.models import ExpiryWarning, WarningKind
from postern.apps.notifications.queries import super_administrators
from postern.apps.orgs.roles import OrgRole
from postern.apps.users import facade as users
from postern.apps.users.models import Kind, Membership, Source, SystemRole, User
from postern.kernel import clock

DAYS_BEFORE: Final = 5
#: Users warned in one run; the next run continues.
_MOST: Final = 2000
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Ending:
    """What ends: the warnings of a kind, and the users whom it concerns, with their message."""

    kind: WarningKind
    candidates: Callable[[datetime], QuerySet[User]]
    notice: Callable[[User, datetime], Notice | None]


def warn_due() -> int:
    """Warn everybody whose password, account or access key ends soon and who was not warned today; returns the number of warnings."""
    now = clock.now()
    people = sum(
        _warn(ending, user_id, now)
        for ending in _endings()
        for user_id in _unwarned(ending.kind, ending.candidates, now)
    )
    return people + sum(
        _warn_keepers(user_id, now) for user_id in _unwarned(WarningKind.ACCOUNT, _ending_programs, now)
    )


def _unwarned(kind: WarningKind, candidates: Callable[[datetime], QuerySet[User]], now: datetime) -> Iterator[UUID]:
    warned = ExpiryWarning.objects.filter(user=OuterRef("pk"), kind=kind, day=_day(now))
    rows = candidates(now).filter(~Exists(warned)).order_by("pk")
    return iter(list(rows.values_list("pk", flat=True)[:_MOST]))


@transaction.atomic
def _warn(ending: _Ending, user_id: UUID, now: datetime) -> bool:
    """Look at the user again under a lock: the password may have been changed since the list was read."""
    user = ending.candidates(now).select_for_update(of=("self",)).filter(pk=user_id).first()
    notice = ending.notice(user, now) if user is not None else None
    if user is None or notice is None:
        return False
    _row, is_new = ExpiryWarning.objects.get_or_create(user=user, kind=ending.kind, day=_day(now))
    return is_new and tell_person(user_id=user.pk, notice=notice, occasion=f"{user.pk}:{_day(now)}")


def _days_left(ends_at: datetime, now: datetime) -> int:
    """Begun days."""
    return max(-((now - ends_at) // _DAY), 1)


def _day(now: datetime) -> str:
    return timezone.localtime(now).date().isoformat()


def _passwords(days: int) -> _Ending:
    """Passwords that expire after this number of days.

    Only local users have a password here. Users who must change it at the next sign-in learn that there.
    """

    def candidates(now: datetime) -> QuerySet[User]:
        end = now - timedelta(days=days)
        rows = User.objects.valid().people().filter(source=Source.LOCAL, need_update_password=False)
        return rows.filter(date_password_last_updated__gt=end, date_password_last_updated__lte=end + DAYS_BEFORE * _DAY)

    def notice(user: User, now: datetime) -> Notice | None:
        updated_at = user.date_password_last_updated
        if updated_at is None:
            return None
        ends_at = updated_at + timedelta(days=days)
        return PASSWORD_EXPIRING.about(Ending(ends_at, _days_left(ends_at, now), user.username))

    return _Ending(WarningKind.PASSWORD, candidates, notice)


def _with_ending_accounts(now: datetime) -> QuerySet[User]:
    """Of all sources: the end of an account in Postern counts for directory users, too."""
    return User.objects.valid().people().filter(date_expired__gt=now, date_expired__lte=now + DAYS_BEFORE * _DAY)


def _of_account(user: User, now: datetime) -> Notice | None:
    ends_at = user.date_expired
    if ends_at is None:
        return None
    return ACCOUNT_EXPIRING.about(Ending(ends_at, _days_left(ends_at, now), user.username))


def _with_ending_keys(now: datetime) -> QuerySet[User]:
    """People with a key that ends; of several keys, the earliest end comes first."""
    return User.objects.valid().people().filter(Exists(_ending_keys(now).filter(user=OuterRef("pk"))))


def _of_access_key(user: User, now: datetime) -> Notice | None:
    key = _ending_keys(now).filter(user=user).first()
    if key is None or key.date_expired is None:
        return None
    days_left = _days_left(key.date_expired, now)
    return ACCESS_KEY_EXPIRING.about(Ending(key.date_expired, days_left, user.username, _name_of(key)))


def _name_of(key: AccessKey) -> str:
    return key.comment or str(key.pk)


def _endings() -> list[_Ending]:
    days = users.password_expiration_days()
    endings = [
        _Ending(WarningKind.ACCOUNT, _with_ending_accounts, _of_account),
        _Ending(WarningKind.ACCESS_KEY, _with_ending_keys, _of_access_key),
    ]
    return endings if days is None else [_passwords(days), *endings]


def _ending_keys(now: datetime) -> QuerySet[AccessKey]:
    return AccessKey.objects.filter(
        is_active=True, date_expired__gt=now, date_expired__lte=now + DAYS_BEFORE * _DAY
    ).order_by("date_expired", "pk")


def _ending_programs(now: datetime) -> QuerySet[User]:
    """Service accounts that end, or of which a key ends."""
    rows = User.objects.valid().filter(kind=Kind.SERVICE)
    key = _ending_keys(now).filter(user=OuterRef("pk"))
    return rows.filter(Q(date_expired__gt=now, date_expired__lte=now + DAYS_BEFORE * _DAY) | Q(Exists(key)))


@transaction.atomic
def _warn_keepers(user_id: UUID, now: datetime) -> bool:
    """Tell the administrators of a service account what of it ends first."""
    account = _ending_programs(now).select_for_update(of=("self",)).filter(pk=user_id).first()
    if account is None:
        return False
    _row, is_new = ExpiryWarning.objects.get_or_create(user=account, kind=WarningKind.ACCOUNT, day=_day(now))
    if not is_new:
        return False
    key = _ending_keys(now).filter(user=account).first()
    ends = [(account.date_expired, "")] if account.date_expired is not None else []
    if key is not None and key.date_expired is not None:
        ends.append((key.date_expired, _name_of(key)))
    ends_at, key_name = min(ends)
    facts = Ending(ends_at, _days_left(ends_at, now), account.username, key_name, account.pk)
    receivers = _keepers(account)
    return bool(
        tell(
            notice=SERVICE_ACCOUNT_EXPIRING.about(facts), occasion=f"{account.pk}:{_day(now)}", user_ids=list(receivers)
        )
    )


def _keepers(account: User) -> set[UUID]:
    """Administrators of the account's organizations, and system administrators who made its keys; without any of them
    all system administrators.
    """
    org_ids = Membership.objects.filter(user=account).values("org_id")
    administers = Membership.objects.filter(user=OuterRef("pk"), org_id__in=org_ids, role=OrgRole.ADMIN)
    makers = AccessKey.objects.filter(user=account, maker__role=SystemRole.ADMIN).values("maker_id")
    keepers = User.objects.valid().people().filter(Q(Exists(administers)) | Q(pk__in=makers))
    user_ids = set(keepers.values_list("pk", flat=True))
    return user_ids or set(super_administrators().values_list("pk", flat=True))
