"""Errors of secrets and their keys."""

from typing import Final, Self

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.kernel.errors import Conflict, PosternError, Unavailable

_ALTERED: Final = Phrase(
    "vault.secret_altered", _("A stored secret cannot be decrypted: it was altered or moved. Set it again.")
)
_GONE: Final = Phrase(
    "vault.secret_gone", _("A stored secret is missing in the secret store: it was deleted there. Set it again.")
)


class SecretUnreadable(PosternError):
    """A stored secret cannot be decrypted: it was altered or moved, or its key is missing."""

    code = "secret_unreadable"
    status = 503

    @classmethod
    def altered(cls) -> Self:
        """It was altered or moved."""
        return cls(_ALTERED.say())


class SecretGone(SecretUnreadable):
    """The secret store has no such secret, although a row names it."""

    code = "secret_gone"

    @classmethod
    def missing(cls) -> Self:
        """It was deleted in the store."""
        return cls(_GONE.say())


class SecretStoreMissing(Unavailable):
    """A secret is in a store that the settings do not name."""

    code = "secret_store_missing"


class MoveRefused(Conflict):
    """Secrets cannot be moved to this store now."""

    code = "move_refused"


class KeyStillUsed(Conflict):
    """A key-encryption key cannot be removed while secrets use it."""

    code = "key_still_used"
