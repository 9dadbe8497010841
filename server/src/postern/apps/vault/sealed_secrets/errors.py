"""What can go wrong with secrets and their keys."""

from postern.kernel.errors import Conflict, PosternError


class SecretUnreadable(PosternError):
    """A sealed secret does not open: it was altered or moved, or its key is gone."""

    code = "secret_unreadable"
    status = 503


class KeyStillUsed(Conflict):
    """A key-encryption key that secrets still need is not removed."""

    code = "key_still_used"
