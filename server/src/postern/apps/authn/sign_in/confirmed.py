"""Whether a signed-in user has confirmed a moment ago who they are: with the password, here or of the directory, or at
their provider.
"""

from typing import Final

from postern.apps.authn.callers.policy import password_was_verified
from postern.apps.authn.sign_in.errors import PasswordVerifyRequired
from postern.apps.users.models import Source, User
from postern.kernel import clock

#: They have no password here. Their provider asks them again (`authn.confirming`).
_AT_PROVIDER: Final = frozenset({Source.OPENID, Source.SAML})
#: They have a password, and the form of these changes asks for it.
_BY_PASSWORD: Final = frozenset({Source.LOCAL, Source.LDAP})


def can_confirm(user: User) -> bool:
    """Whether users of this source have a way to confirm who they are."""
    return user.source in _BY_PASSWORD | _AT_PROVIDER


def require_confirmed(credential: object, user: User) -> None:
    """Raise PasswordVerifyRequired unless the user confirmed it in this browser sign-in within five minutes."""
    if not password_was_verified(credential, now=clock.now()):
        raise PasswordVerifyRequired(at_provider=user.source in _AT_PROVIDER)
