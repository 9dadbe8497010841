"""The bootstrap token: what lets a new proxy register."""

from django.conf import settings

from postern.foundation import secret_files
from postern.kernel import ids
from postern.kernel.secret import Secret

FILE_NAME = "bootstrap.token"


def bootstrap_token() -> Secret:
    """The token of this installation: from the settings, or made once in the folder of secrets."""
    if settings.POSTERN.bootstrap_token is not None:
        token: Secret = settings.POSTERN.bootstrap_token
        return token
    return Secret(secret_files.read_or_create(settings.POSTERN.secrets_dir / FILE_NAME, ids.new_token))


def is_bootstrap_token(text: str) -> bool:
    """Whether `text` is the token, compared in constant time."""
    return ids.same(ids.token_hash(text), ids.token_hash(bootstrap_token().reveal()))
