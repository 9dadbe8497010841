"""Whether a signed-in user has recently confirmed their identity: with the password of Postern or of the directory, or
at their provider.
"""

from typing import Final

from postern.apps.authn.callers.policy import password_was_verified
from postern.apps.authn.sign_in.errors import PasswordVerifyRequired
from postern.apps.users.models import Source, User
from postern.kernel import clock

#: Sources of users who confirm at their provider (`authn.confirming`).
_AT_PROVIDER: Final = frozenset({Source.OPENID, Source.SAML})
#: Sources of users who confirm with their password.
_BY_PASSWORD: Final = frozenset({Source.LOCAL, Source.LDAP})


def can_confirm(user: User) -> bool:
    """Whether users of this source have a way to confirm their identity."""
    return user.source in _BY_PASSWORD | _AT_PROVIDER


def require_confirmed(credential: object, user: User) -> None:
    """Raise PasswordVerifyRequired unless the user confirmed their identity in this browser sign-in within five
    minutes.
    """
    if not password_was_verified(credential, now=clock.now()):
        raise PasswordVerifyRequired(at_provider=user.source in _AT_PROVIDER)
