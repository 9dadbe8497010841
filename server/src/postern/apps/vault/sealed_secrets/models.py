"""The table of encrypted secrets."""

from django.db import models

from postern.foundation.configuration.secret_store import SecretStore
from postern.foundation.models import SavedRow
from postern.kernel.ids import new_id


class SealedSecret(SavedRow):
    """One encrypted secret of one row of any table (see `sealing`).

    All secrets are in this table, so that one rotation and one byte scan cover them. The encryption is bound to the
    place (`table`, `row_id`, `org_id`, `column`): a value that is copied to another row cannot be decrypted.

    `provider` names the store of the secret. With `vault-kv2`, `reference` is its path in Vault and `reference_version`
    the version there. With `vault-transit`, `reference` is the data key as Vault wrapped it, `reference_version` the
    version of Vault's key, and `ciphertext` is here. `kek_version` and `wrapped_key` belong to the key file. A secret
    that was moved away keeps its local copy (`kek_version` above 0) for some days.
    """

    table = models.CharField(max_length=64)
    row_id = models.UUIDField()
    org_id = models.UUIDField()
    column = models.CharField(max_length=32)
    kek_version = models.PositiveIntegerField(db_index=True)
    wrapped_key = models.BinaryField()
    ciphertext = models.BinaryField()
    date_updated = models.DateTimeField(auto_now=True)
    provider = models.CharField(max_length=16, default=SecretStore.LOCAL.value, db_default=SecretStore.LOCAL.value)
    reference = models.CharField(max_length=1024, default="", db_default="", blank=True)
    reference_version = models.PositiveIntegerField(default=0, db_default=0)
    date_moved = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("table", "row_id", "column"), name="vault_sealedsecret_unique")]
        indexes = [models.Index(fields=("provider", "id"), name="vault_sealedsecret_provider")]

    def __str__(self) -> str:
        return f"{self.table} {self.row_id} {self.column}"


class StoreFolder(SavedRow):
    """The name of this installation's folder in the key-value store. One row, made with the database.

    Two installations may be given the same mount and folder by mistake. Without this name, each would remove the
    secrets of the other as unused.
    """

    ONLY = 1

    number = models.PositiveSmallIntegerField(primary_key=True, default=ONLY)
    name = models.UUIDField(default=new_id)

    def __str__(self) -> str:
        return str(self.name)


class UnusedPath(SavedRow):
    """A path of the key-value store that no secret named when it was listed. Removed there after some days."""

    path = models.CharField(max_length=1024, unique=True)
    date_noticed = models.DateTimeField()

    def __str__(self) -> str:
        return self.path
