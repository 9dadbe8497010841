"""Idempotent sign-ins through a proxy: an attempt whose response was lost gets the same answer again and counts once.

A row stores the outcome of an attempt, in the transaction of its effects. A killed process has therefore either stored
the outcome or only counted the attempt; the next request of the same attempt continues from there. Concurrent requests
of the same attempt wait for each other at the row. Only hashes of tickets are stored, so a repeated answer has a new
ticket for the same sign-in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import msgspec
from django.db import transaction

from postern.apps.authn.lock_out import guard
from postern.apps.authn.proxies.actions import proxy_sign_ins
from postern.apps.authn.proxies.models import AnsweredSignIn
from postern.apps.authn.sign_in.actions import second_factor
from postern.apps.authn.sign_in.errors import SignInLapsed
from postern.apps.users.models import User
from postern.contracts.access import Denial
from postern.foundation.requests import attempts
from postern.kernel import clock


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a factor at a proxy; exactly one field is set."""

    denial: Denial | None = None
    begun: second_factor.Begun | None = None
    opened: proxy_sign_ins.Opened | None = None


@transaction.atomic
def count_once(name: str, reserve: Callable[[], guard.Attempt]) -> guard.Attempt | Outcome:
    """Count an attempt in advance, unless it was counted before. Returns the outcome if the attempt was answered
    before.

    Errors of `reserve` are raised; nothing is counted then.
    """
    if not name:
        return reserve()
    row = _locked(name)
    if row.date_answered is not None:
        return _repeated_outcome(row)
    if row.counted is not None:
        return msgspec.convert(row.counted, guard.Attempt)
    attempt = reserve()
    row.counted = msgspec.to_builtins(attempt)
    row.save(update_fields=["counted"])
    return attempt


@transaction.atomic
def take_back(name: str, attempt: guard.Attempt) -> None:
    """Uncount an attempt that was not checked, and delete its row."""
    if not name or AnsweredSignIn.objects.filter(name=name, date_answered__isnull=True).delete()[0]:
        guard.take_back(attempt)


def answer(name: str, user_id: UUID | None, judge: Callable[[], Outcome]) -> Outcome:
    """Return the stored outcome, or run `judge` and store its outcome, in one transaction.

    `user_id`: the user of the attempt, if any. Their row is locked first, as in every write about a user.
    """
    if not name:
        return judge()
    with transaction.atomic():
        row = _locked(name)
        if user_id is not None:
            list(User.objects.select_for_update(no_key=True).filter(pk=user_id).values_list("pk"))
        if row.date_answered is not None:
            return _repeated_outcome(row)
        outcome = judge()
        row.denial = None if outcome.denial is None else msgspec.to_builtins(outcome.denial)
        row.pending = None if outcome.begun is None else outcome.begun.pending
        row.sign_in = None if outcome.opened is None else outcome.opened.sign_in
        row.date_answered = clock.now()
        row.save()
        return outcome


def lapsed() -> Denial:
    """The denial for a sign-in that has ended in the meantime."""
    refused = SignInLapsed()
    return Denial(code=refused.denial, message=refused.text())


def _repeated_outcome(row: AnsweredSignIn) -> Outcome:
    """The stored outcome. Its sign-in is checked again, because it may have ended since."""
    if row.denial is not None:
        return Outcome(denial=msgspec.convert(row.denial, Denial))
    if row.pending is not None:
        begun = second_factor.renewed(row.pending)
        return Outcome(begun=begun) if begun is not None else Outcome(denial=lapsed())
    opened = proxy_sign_ins.renewed(row.sign_in) if row.sign_in is not None else None
    return Outcome(opened=opened) if opened is not None else Outcome(denial=lapsed())


def _locked(name: str) -> AnsweredSignIn:
    """The row of an attempt, locked until the transaction ends; created if there is no row that has not expired."""
    now = clock.now()
    AnsweredSignIn.objects.filter(name=name, date_expired__lte=now).delete()
    row = AnsweredSignIn(name=name, date_expired=now + attempts.REPEATABLE)
    AnsweredSignIn.objects.bulk_create([row], ignore_conflicts=True)
    return AnsweredSignIn.objects.select_for_update().get(name=name)
