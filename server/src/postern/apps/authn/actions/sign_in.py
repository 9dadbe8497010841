"""Proving who one is, with a password or with a key whose signature somebody has verified.

The order of steps is the same for every name, known or not (no enumeration):

1. the attempt is counted for the name and for the address; a lock refuses it here;
2. the password is compared, with a stand-in hash when there is no such person;
3. wrong: refused, the same words for everybody; right: the count is given back;
4. only now anything about the account itself is told (disabled, expired, password due).
"""

import functools
from typing import Final, Literal

from django.contrib.auth.hashers import check_password, is_password_usable
from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn import guard
from postern.apps.authn.errors import (
    AccountDisabled,
    AccountExpired,
    KeyRefused,
    PasswordDue,
    SignInLocked,
    SignInRefused,
    WrongCredentials,
)
from postern.apps.authn.events import AccountLocked
from postern.apps.authn.policy import password_is_due
from postern.apps.users.models import User
from postern.apps.users.passwords import MAX_PASSWORD_CHARS
from postern.apps.users.public_keys import holds_key
from postern.foundation import events
from postern.foundation.actor import Actor, ActorKind, anonymous
from postern.kernel import clock

LoginType = Literal["W", "T", "U"]

#: Compared with when nobody has the name, so that it costs as much as a real one. Not made at run time: the first
#: unknown name after a start would take longer. A test holds its parameters to those of the hasher in use.
STAND_IN_HASH: Final = (
    "argon2$argon2id$v=19$m=47104,t=2,p=1$YzNSaGJtUXRhVzR0YzJGc2RB$ey9IRwV+tQ4Y9Y7SaXuXgZIypUzxrzv9c13LWyEdrjY"
)


def verify_password(
    *,
    username: str,
    password: str,
    remote_addr: str,
    login_type: LoginType,
    user_agent: str = "",
    may_be_due: bool = False,
) -> User:
    """The person to whom name and password belong. Raises a `SignInRefused`; each outcome is in the login log.

    `may_be_due`: let a person in whose password must change; only the console can do that.
    """
    log = functools.partial(
        _log,
        username=username,
        remote_addr=remote_addr,
        login_type=login_type,
        user_agent=user_agent,
        backend="password",
    )
    try:
        attempt = guard.reserve(username, remote_addr)
    except SignInLocked as refused:
        log(refused=refused)
        raise
    user = User.objects.named(username)
    if not _password_fits(user, password) or user is None:
        wrong = _wrong(attempt, username, remote_addr)
        log(refused=wrong)
        raise wrong
    guard.release(attempt)
    try:
        _require_open_account(user, may_be_due=may_be_due)
    except SignInRefused as refused:
        log(refused=refused)
        raise
    log(user=user)
    return user


def verify_key(
    *, username: str, public_key: str, remote_addr: str, login_type: LoginType, user_agent: str = ""
) -> User:
    """The person who holds `public_key`, whose signature the caller has verified (K8). Raises a `SignInRefused`."""
    log = functools.partial(
        _log,
        username=username,
        remote_addr=remote_addr,
        login_type=login_type,
        user_agent=user_agent,
        backend="publickey",
    )
    user = User.objects.named(username)
    try:
        if user is None or not key_is_acceptable(username=username, public_key=public_key):
            raise KeyRefused
        _require_open_account(user, may_be_due=False)
    except SignInRefused as refused:
        log(refused=refused)
        raise
    log(user=user)
    return user


def key_is_acceptable(*, username: str, public_key: str) -> bool:
    """Whether the key is one of the person's. Says nothing about who is asking: an offer proves nothing (K8).

    Accounts of a directory sign in with it only: it alone knows whether they are still welcome.
    """
    user = User.objects.named(username)
    return user is not None and user.is_local and bool(user.public_key) and holds_key(user.public_key, public_key)


def _password_fits(user: User | None, password: str) -> bool:
    usable = user is not None and user.is_local and is_password_usable(user.password)
    hashed = user.password if user is not None and usable else STAND_IN_HASH
    # Longer ones cannot be anybody's; hashing them would only burn time, so they are cut, and refused below.
    fits = check_password(password[:MAX_PASSWORD_CHARS], hashed)
    return fits and usable and len(password) <= MAX_PASSWORD_CHARS


def _wrong(attempt: guard.Attempt, username: str, remote_addr: str) -> SignInRefused:
    rules = guard.lock_rules()
    if attempt.locks_account:
        events.publish(AccountLocked(username=username[:128], remote_addr=remote_addr, minutes=rules.limit_time_min))
        return SignInLocked(rules.limit_time_min)
    return WrongCredentials(tries_left=attempt.tries_left, lock_minutes=rules.limit_time_min)


def _require_open_account(user: User, *, may_be_due: bool) -> None:
    if not user.is_active:
        raise AccountDisabled
    if user.is_expired:
        raise AccountExpired
    if not may_be_due and password_is_due(user, now=clock.now()):
        raise PasswordDue


@transaction.atomic
def _log(
    *,
    username: str,
    remote_addr: str,
    login_type: LoginType,
    user_agent: str,
    backend: str,
    user: User | None = None,
    refused: SignInRefused | None = None,
) -> None:
    actor = anonymous(remote_addr)
    if user is not None:
        actor = Actor(
            kind=ActorKind.USER, user_id=user.pk, username=user.username, name=user.name, remote_addr=remote_addr
        )
        User.objects.filter(pk=user.pk).update(last_login=clock.now())
    audits.record_sign_in(
        actor=actor,
        username=username[:128],
        succeeded=user is not None,
        reason=refused.slug if refused is not None else "",
        login_type=login_type,
        backend=backend,
        user_agent=user_agent[:254],
        mfa=2,
    )
