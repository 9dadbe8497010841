"""Errors of secrets and their keys."""

from postern.kernel.errors import Conflict, PosternError


class SecretUnreadable(PosternError):
    """A stored secret cannot be decrypted: it was altered or moved, or its key is missing."""

    code = "secret_unreadable"
    status = 503


class KeyStillUsed(Conflict):
    """A key-encryption key cannot be removed while secrets use it."""

    code = "key_still_used"
