"""The ways of signing in that an administrator has switched on, and their refusal.

Every way is checked after the right first factor, and again before a sign-in is completed. SSH keys and their
certificates, access keys, SSO links and codes for SSH have their own settings.
"""

from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.errors import SignInRefused
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import Source, User
from postern.contracts.enums import DenialCode
from postern.foundation.caller.actor import Actor

_SETTING: Final = "SECURITY_SIGN_IN_WAYS"
_OTHERS: Final = frozenset({"passkey", "openid", "saml", "wecom", "dingtalk", "feishu"})


class WayClosed(SignInRefused):
    """The way of this sign-in is switched off (slug of the contract). The first factor was right."""

    slug = "backend_not_match"
    denial = DenialCode.METHOD_DISABLED
    knows_person = True

    def text(self) -> str:
        return _("This way of signing in is switched off. Use another way on the sign-in page.")


class PasswordsClosed(WayClosed):
    """Passwords of all sources are switched off. Nothing was compared, so the text reveals nothing about the name."""

    knows_person = False


def is_open(way: str) -> bool:
    """Whether this way is switched on."""
    return way in preferences.get_order(_SETTING)


def require(backend: str, user: User) -> None:
    """Raise WayClosed if the way of this backend is switched off for users of this source."""
    way = _way_of(backend, user.source)
    if way and not is_open(way):
        raise WayClosed


def require_passwords() -> None:
    """Raise PasswordsClosed if passwords of both kinds are switched off. They are not compared then."""
    if not is_open("password") and not is_open("ldap"):
        raise PasswordsClosed


def way_of_caller(actor: Actor) -> str:
    """The way by which this caller is signed in with a browser; "" for others."""
    if actor.login_session is None:
        return ""
    row = LoginSession.objects.select_related("user").filter(pk=UUID(actor.login_session)).first()
    return _way_of(row.backend, row.user.source) if row is not None else ""


def _way_of(backend: str, source: str) -> str:
    if backend == "password":  # both kinds of passwords have this backend in logs and sign-ins
        return "ldap" if source == Source.LDAP else "password"
    kind = backend.partition(":")[0]
    return kind if kind in _OTHERS else ""
