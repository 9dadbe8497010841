"""What the vault needs at the first start: its key file, and the name of its folder in a key-value store."""

from postern.apps.vault.sealed_secrets.models import SealedSecret, StoreFolder
from postern.apps.vault.sealed_secrets.secret_store import keyring


def ensure() -> None:
    """Create the name of the folder, and the key file if it is missing and no secret is stored yet.

    When secrets exist, a missing file must be reported as a loss and not be replaced by a new key.
    """
    if not keyring().exists() and not SealedSecret.objects.exists():
        keyring().create()
    StoreFolder.objects.get_or_create(number=StoreFolder.ONLY)
