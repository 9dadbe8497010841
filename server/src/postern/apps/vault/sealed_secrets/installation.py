"""What the vault needs at the first start: its key file."""

from postern.apps.vault.sealed_secrets.models import SealedSecret
from postern.apps.vault.sealed_secrets.secret_store import keyring


def ensure() -> None:
    """Make the key file when there is none and nothing is sealed yet.

    With secrets in the database a missing file is a loss to be told, not to be papered over with a new key.
    """
    if not keyring().exists() and not SealedSecret.objects.exists():
        keyring().create()
