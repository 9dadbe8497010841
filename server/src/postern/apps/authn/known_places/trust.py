"""Trusted browsers: for a limited time, the password alone signs the user in there.

Off by default; an administrator sets the number of days. A sign-in by trust does not prove the second factor: actions
that need a recent second factor still require it. Terminals and the API do not use trust.
"""

from datetime import timedelta
from typing import Final

from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import QuerySet

from postern.apps.audits import facade as audits
from postern.apps.authn.known_places.models import TrustedBrowser
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, new_token, token_hash

#: Limit per user; the oldest is removed first.
_MAX_BROWSERS: Final = 10
_SALT: Final = "postern.trusted-browser"
_MAX_COOKIE_CHARS: Final = 256


def lifetime() -> timedelta:
    """How long a browser is trusted; zero while trust is off."""
    return timedelta(days=preferences.get_int("SECURITY_TRUSTED_BROWSER_DAYS"))


def standing_of(user: User) -> str:
    """Hash of the state that a trust depends on: password (by the session epoch), role, roles in organizations, MFA
    level.
    """
    roles = sorted(f"{row.org_id}:{','.join(sorted(row.roles))}" for row in users.org_roles_of(user.pk))
    return token_hash(f"{user.session_epoch}|{user.role}|{user.mfa_level}|{'|'.join(roles)}")


def trusted_by(user: User) -> QuerySet[TrustedBrowser]:
    """The browsers that the user trusts now; none while trust is off. A reduced lifetime also applies to existing
    trust.
    """
    now, longest = clock.now(), lifetime()
    rows = TrustedBrowser.objects.filter(user=user, date_expired__gt=now, date_created__gt=now - longest)
    return rows.filter(standing=standing_of(user)) if longest else rows.none()


def find(user: User, cookie: str) -> TrustedBrowser | None:
    """The trusted browser of this cookie."""
    if not cookie or not lifetime():
        return None
    try:
        token = Signer(salt=f"{_SALT}:{user.pk}").unsign(cookie[:_MAX_COOKIE_CHARS])
    except BadSignature:
        return None
    return trusted_by(user).filter(token_hash=token_hash(token)).first()


@transaction.atomic
def begin(*, actor: Actor, user: User, remote_addr: str, user_agent: str) -> str | None:
    """Trust the browser of a completed sign-in. Returns the value of its cookie; None while trust is off."""
    longest = lifetime()
    if not longest:
        return None
    token, now = new_token(), clock.now()
    row = TrustedBrowser.objects.create(
        user=user,
        token_hash=token_hash(token),
        standing=standing_of(User.objects.get(pk=user.pk)),
        remote_addr=remote_addr[:64],
        user_agent=user_agent[:254],
        date_created=now,
        date_expired=now + longest,
    )
    surplus = TrustedBrowser.objects.filter(user=user).values_list("pk", flat=True)[_MAX_BROWSERS:]
    TrustedBrowser.objects.filter(pk__in=list(surplus)).delete()
    _audit(actor, audits.Event.BROWSER_TRUSTED, user, row)
    return Signer(salt=f"{_SALT}:{user.pk}").sign(token)


@transaction.atomic
def use(*, actor: Actor, user: User, browser: TrustedBrowser) -> bool:
    """Record a sign-in without second factor. Returns False when the trust has ended meanwhile.

    The row of the user is locked first, as in the writes that end trust.
    """
    if users.hold_epoch(user.pk) != user.session_epoch:
        return False
    if trusted_by(User.objects.get(pk=user.pk)).filter(pk=browser.pk).update(date_last_used=clock.now()) != 1:
        return False
    _audit(actor, audits.Event.BROWSER_TRUST_USED, user, browser)
    return True


@transaction.atomic
def end(*, actor: Actor, user: User, browser: TrustedBrowser) -> None:
    """End the trust in a browser. Does nothing if it has already ended."""
    users.hold(actor, user)
    if TrustedBrowser.objects.filter(pk=browser.pk, user=user).delete()[0]:
        _audit(actor, audits.Event.BROWSER_TRUST_ENDED, user, browser)


def end_all(user: User) -> int:
    """End the trust in all browsers of a user; returns their number. Call it in the transaction that records the
    reason.
    """
    return TrustedBrowser.objects.filter(user=user).delete()[0]


def _audit(actor: Actor, event: audits.Event, user: User, browser: TrustedBrowser) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        object_type="TrustedBrowser",
        object_id=str(browser.pk),
        object_name=str(user),
        new={"remote_addr": browser.remote_addr, "date_expired": browser.date_expired},
    )
