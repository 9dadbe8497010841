"""Handles requests for a link, which anybody can make for any name.

Known and unknown names are counted in the same way, every request makes the same reads and writes, and the worker
decides about the mail. Neither the response nor its time therefore reveals which accounts exist, or that a name and a
mail address belong to one account. Both share the pause of that account.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from postern.apps.authn.forgotten_passwords.errors import TooManyRequests
from postern.apps.authn.forgotten_passwords.events import PasswordForgotten
from postern.apps.authn.lock_out.guard import locked_row
from postern.apps.authn.lock_out.models import GuardKind, SignInGuard
from postern.apps.users import facade as users
from postern.apps.users.models import username_key
from postern.foundation.bus import events
from postern.kernel import clock
from postern.kernel.addresses import address_key
from postern.kernel.ids import new_id, token_hash

#: Maximum number of requests per address, for all names together.
ADDRESS_LIMIT: Final = 30
ADDRESS_WINDOW: Final = timedelta(hours=1)
#: Pause of an account after the first, second, … mail within a day.
PAUSES: Final = tuple(timedelta(minutes=minutes) for minutes in (5, 15, 60, 240))
_DAY: Final = timedelta(days=1)


def ask(text: str, remote_addr: str) -> None:
    """Request a link for the account with this name or mail address. Raises TooManyRequests for the client address
    only.
    """
    _count_address(remote_addr)
    _ask(text, remote_addr)


@transaction.atomic
def _count_address(remote_addr: str) -> None:
    now = clock.now()
    row = locked_row(GuardKind.FORGOT_ADDRESS, token_hash(f"{GuardKind.FORGOT_ADDRESS}:{address_key(remote_addr)}"))
    recent = _within(row, ADDRESS_WINDOW, now)
    if len(recent) >= ADDRESS_LIMIT:
        over = min(recent) + ADDRESS_WINDOW.total_seconds() - now.timestamp()
        raise TooManyRequests(max(math.ceil(over), 1))
    _store(row, [*recent, now.timestamp()], now)


@transaction.atomic
def _ask(text: str, remote_addr: str) -> None:
    now, user_id = clock.now(), users.id_by_name_or_address(text)
    # Username and mail address of a user have the same counter.
    key = username_key(text) if user_id is None else str(user_id)
    row = locked_row(GuardKind.FORGOT, token_hash(f"{GuardKind.FORGOT}:{key}"))
    recent = _within(row, _DAY, now)
    due = _is_due(recent, now)
    _store(row, [*recent, now.timestamp()] if due else recent, now)
    event = PasswordForgotten(request_id=new_id(), remote_addr=remote_addr, user_id=user_id if due else None)
    events.publish(event)


def _is_due(recent: Sequence[float], now: datetime) -> bool:
    if not recent:
        return True
    if len(recent) > len(PAUSES):
        return False
    return now.timestamp() - max(recent) >= PAUSES[len(recent) - 1].total_seconds()


def _within(row: SignInGuard, window: timedelta, now: datetime) -> list[float]:
    return [at for at in row.recent if now.timestamp() - at < window.total_seconds()]


def _store(row: SignInGuard, recent: list[float], now: datetime) -> None:
    row.recent, row.failures, row.date_last_failure = recent, len(recent), now
    row.save(update_fields=["recent", "failures", "date_last_failure"])
