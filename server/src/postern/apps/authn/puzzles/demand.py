"""Decides when a puzzle is required, and uses up solutions."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Q

from postern.apps.authn.known_places import places
from postern.apps.authn.known_places.models import PlaceKind
from postern.apps.authn.lock_out import locks
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.lock_out.models import GuardKind, SignInGuard
from postern.apps.authn.puzzles.errors import PuzzleRequired
from postern.apps.authn.puzzles.models import UsedPuzzle
from postern.apps.authn.puzzles.puzzle import LIFETIME, Purpose, Solution, is_solved, new_puzzle
from postern.apps.preferences import facade as preferences
from postern.foundation.database.prepared import PreparedQuery
from postern.kernel import clock
from postern.kernel.ids import token_hash

#: Puzzles are required for this long after a failed sign-in.
AFTER_FAILURE: Final = timedelta(hours=1)


def require_before_sign_in(username: str, visitor: Visitor, solution: Solution | None) -> None:
    """Raise PuzzleRequired after a recent failure for this name or from this address, unless the puzzle is solved.

    Puzzles are required for existing and other names, also from a known address, so that they reveal nothing to others
    there. A known device is exempt: it has a signed cookie that only the owner of the account can have.
    """
    if _is_on() and _failed_recently(username, visitor.remote_addr) and not _is_known_device(username, visitor):
        _require(Purpose.SIGN_IN, username, solution)


def require_before_mail(name: str, solution: Solution | None) -> None:
    """Raise PuzzleRequired unless the puzzle is solved. Always required, because requests are rare and cause mail to
    others.
    """
    if _is_on():
        _require(Purpose.FORGOTTEN_PASSWORD, name, solution)


def _require(purpose: Purpose, name: str, solution: Solution | None) -> None:
    if solution is None or not is_solved(solution, purpose, name) or not _is_first_use(solution):
        raise PuzzleRequired(new_puzzle(purpose, name))


def _is_on() -> bool:
    return preferences.get_bool("SECURITY_LOGIN_CAPTCHA_ENABLED")


def _failed_recently(username: str, remote_addr: str) -> bool:
    keys = {
        "account": locks.key_hash(GuardKind.ACCOUNT, username),
        "address": locks.key_hash(GuardKind.ADDRESS, remote_addr),
    }
    return bool(_failures().tuples(**keys, since=clock.now() - AFTER_FAILURE))


@cache
def _failures() -> PreparedQuery:
    """Prepared, because every sign-in needs it."""
    return PreparedQuery(
        lambda account, address, since: SignInGuard.objects.filter(
            Q(kind=GuardKind.ACCOUNT, key_hash=account) | Q(kind=GuardKind.ADDRESS, key_hash=address),
            date_last_wrong__gt=since,
        ).order_by(),
        stand_ins={"account": "of-account", "address": "of-address", "since": datetime.max.replace(tzinfo=UTC)},
        columns=("id",),
    )


def _is_known_device(username: str, visitor: Visitor) -> bool:
    known_places = places.find(username, visitor.remote_addr, visitor.device)
    return any(place.kind == PlaceKind.DEVICE for place in known_places)


def _is_first_use(solution: Solution) -> bool:
    """Record the use of a solution. Returns False when it was used before; the database decides between concurrent
    uses.
    """
    try:
        with transaction.atomic():
            UsedPuzzle.objects.create(token_hash=token_hash(solution.token), date_expired=clock.now() + LIFETIME)
    except IntegrityError:
        return False
    return True
