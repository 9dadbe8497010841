"""The credentials of users in authn: access keys, tokens, sign-ins, passkeys, known places.

`users.credentials.kinds` lists and ends them.
"""

from typing import Final

from django.db import transaction
from django.db.models import Q

from postern.apps.authn.credentials.actions.login_sessions import end_all
from postern.apps.authn.credentials.actions.tokens import delete_access_keys, end_tokens
from postern.apps.authn.credentials.models import AccessKey, BearerToken, LoginEnd, LoginSession
from postern.apps.authn.external.models import ExternalAccount
from postern.apps.authn.known_places import places, trust
from postern.apps.authn.known_places.models import KnownPlace
from postern.apps.authn.passkeys.models import Passkey
from postern.apps.authn.passkeys.queries import passkeys_of
from postern.apps.authn.proxies.actions import proxy_sign_ins
from postern.apps.authn.proxies.models import ProxySignIn
from postern.apps.authn.second_factors.actions import mfa
from postern.apps.authn.second_factors.actions.recovery_codes import forget_codes
from postern.apps.authn.second_factors.models import PendingSignIn
from postern.apps.authn.second_factors.queries import has_device
from postern.apps.authn.sso_links.models import SsoLink
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.kernel import clock


@transaction.atomic
def reset_second_factor(actor: Actor, user: User) -> None:
    """Remove the second factor of a user, and end their sign-ins over SSH, which may have used it."""
    mfa.reset(actor=actor, user=user)
    proxy_sign_ins.end_of_person(user.pk)


def _access_keys(user: User) -> users.CredentialRows:
    return [
        {
            "id": str(key.pk),
            "is_active": key.is_active,
            "date_created": key.date_created,
            "date_last_used": key.date_last_used,
        }
        for key in AccessKey.objects.filter(user=user)
    ]


def _end_access_keys(actor: Actor, user: User) -> int:
    del actor
    return delete_access_keys(user_id=user.pk)


def _tokens(user: User) -> users.CredentialRows:
    rows = BearerToken.objects.filter(
        user=user, date_revoked__isnull=True, date_expired__gt=clock.now(), epoch=user.session_epoch
    )
    return [
        {"date_created": row.date_created, "date_expired": row.date_expired, "remote_addr": row.remote_addr}
        for row in rows
    ]


def _end_tokens(actor: Actor, user: User) -> int:
    del actor
    return end_tokens(user_id=user.pk)


def _login_sessions(user: User) -> users.CredentialRows:
    rows = LoginSession.objects.filter(
        user=user, date_ended__isnull=True, date_expired__gt=clock.now(), epoch=user.session_epoch
    )
    return [
        {"date_created": row.date_created, "date_last_seen": row.date_last_seen, "remote_addr": row.remote_addr}
        for row in rows
    ]


def _end_login_sessions(actor: Actor, user: User) -> int:
    del actor
    return end_all(user_id=user.pk, reason=LoginEnd.ENDED_BY_ADMIN)


def _pending(user: User) -> users.CredentialRows:
    rows = PendingSignIn.objects.filter(user=user, date_used__isnull=True, date_expired__gt=clock.now())
    return [{"date_created": row.date_created, "remote_addr": row.remote_addr} for row in rows]


def _end_pending(actor: Actor, user: User) -> int:
    del actor
    return PendingSignIn.objects.filter(user=user, date_used__isnull=True).delete()[0]


def _proxy_sign_ins(user: User) -> users.CredentialRows:
    rows = ProxySignIn.objects.filter(
        user=user, date_ended__isnull=True, date_expired__gt=clock.now(), epoch=user.session_epoch
    )
    return [{"date_created": row.date_created, "remote_addr": row.remote_addr} for row in rows]


def _end_proxy_sign_ins(actor: Actor, user: User) -> int:
    del actor
    return proxy_sign_ins.end_of_person(user.pk)


def _known_places(user: User) -> users.CredentialRows:
    rows = KnownPlace.objects.filter(user=user, date_expired__gt=clock.now(), epoch=user.session_epoch)
    return [{"kind": row.kind, "date_last_used": row.date_last_used} for row in rows]


def _end_known_places(actor: Actor, user: User) -> int:
    del actor
    return places.forget_all(user)


def _external_accounts(user: User) -> users.CredentialRows:
    rows = ExternalAccount.objects.filter(user=user)
    return [
        {
            "provider": row.provider,
            "name": row.name,
            "date_created": row.date_created,
            "date_last_used": row.date_last_used,
        }
        for row in rows
    ]


def _end_external_accounts(actor: Actor, user: User) -> int:
    del actor
    return ExternalAccount.objects.filter(user=user).delete()[0]


def _passkeys(user: User) -> users.CredentialRows:
    return [
        {"name": row.name, "date_created": row.date_created, "date_last_used": row.date_last_used}
        for row in passkeys_of(user.pk)
    ]


def _end_passkeys(actor: Actor, user: User) -> int:
    """Remove passkeys with the password, because a passkey alone signs in. Recovery codes stay while there is an app."""
    del actor
    number = Passkey.objects.filter(user=user).delete()[0]
    if number and not has_device(user.pk):
        forget_codes(user)
    return number


def _trusted_browsers(user: User) -> users.CredentialRows:
    return [
        {
            "date_created": row.date_created,
            "date_last_used": row.date_last_used,
            "date_expired": row.date_expired,
            "remote_addr": row.remote_addr,
        }
        for row in trust.trusted_by(user)
    ]


def _end_trusted_browsers(actor: Actor, user: User) -> int:
    del actor
    return trust.end_all(user)


def _sso_links(user: User) -> users.CredentialRows:
    rows = SsoLink.objects.filter(user=user, date_used__isnull=True, date_expired__gt=clock.now())
    return [
        {"created_by": row.created_by, "date_created": row.date_created, "date_expired": row.date_expired}
        for row in rows
    ]


def _end_sso_links(actor: Actor, user: User) -> int:
    """End the links for the user, and the links that the user made for others."""
    del actor
    of_user = Q(user=user) | Q(maker_id=user.pk)
    waiting = SsoLink.objects.filter(of_user, date_used__isnull=True, date_expired__gt=clock.now())
    return waiting.update(date_expired=clock.now())


CREDENTIALS: Final = (
    users.CredentialKind(name="access_keys", rows=_access_keys, end=_end_access_keys),
    users.CredentialKind(name="bearer_tokens", rows=_tokens, end=_end_tokens),
    users.CredentialKind(name="login_sessions", rows=_login_sessions, end=_end_login_sessions),
    users.CredentialKind(name="pending_sign_ins", rows=_pending, end=_end_pending),
    users.CredentialKind(name="proxy_sign_ins", rows=_proxy_sign_ins, end=_end_proxy_sign_ins),
    users.CredentialKind(name="external_accounts", rows=_external_accounts, end=_end_external_accounts),
    users.CredentialKind(name="known_places", rows=_known_places, end=_end_known_places),
    users.CredentialKind(name="passkeys", rows=_passkeys, end=_end_passkeys),
    users.CredentialKind(name="sso_links", rows=_sso_links, end=_end_sso_links),
    users.CredentialKind(name="trusted_browsers", rows=_trusted_browsers, end=_end_trusted_browsers),
)
