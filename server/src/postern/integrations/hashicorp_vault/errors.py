"""Errors of the client. Their messages are for users; `reason` is for operators. Neither has a token or a secret."""

from typing import ClassVar, Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.kernel.errors import Unavailable

_SILENT: Final = Phrase(
    "secret_store.silent", _("The secret store cannot be reached. Try again in a minute, or tell an administrator.")
)
_SEALED: Final = Phrase(
    "secret_store.sealed", _("The secret store cannot be reached, because it is sealed. Tell an administrator.")
)
_REFUSED: Final = Phrase(
    "secret_store.refused", _("The secret store refuses Postern's request. Tell an administrator.")
)


class VaultUnavailable(Unavailable):
    """Vault gave no usable answer within the time limit. Nothing is wrong with the request; it may be repeated."""

    code = "secret_store_unavailable"
    phrase: ClassVar[Phrase] = _SILENT

    def __init__(self, reason: str) -> None:
        super().__init__(self.phrase.say())
        self.reason = reason


class VaultSealed(VaultUnavailable):
    """Vault is sealed: somebody must unseal it."""

    phrase = _SEALED


class VaultRefused(VaultUnavailable):
    """Vault does not accept the token, or its policy does not allow the operation."""

    code: ClassVar[str] = "secret_store_refused"
    phrase = _REFUSED


class VaultMissing(Exception):
    """There is no such version at this path: it was never written, was deleted, or was destroyed."""


class VaultUndecryptable(Exception):
    """The transit engine cannot decrypt this value: it was altered, or its key version is gone."""
