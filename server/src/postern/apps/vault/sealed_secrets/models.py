"""The table of encrypted secrets."""

from django.db import models

from postern.foundation.models import SavedRow


class SealedSecret(SavedRow):
    """One encrypted secret of one row of any table (see `sealing`).

    All secrets are in this table, so that one rotation and one byte scan cover them. The encryption is bound to the
    place (`table`, `row_id`, `org_id`, `column`): a value that is copied to another row cannot be decrypted.
    """

    table = models.CharField(max_length=64)
    row_id = models.UUIDField()
    org_id = models.UUIDField()
    column = models.CharField(max_length=32)
    kek_version = models.PositiveIntegerField(db_index=True)
    wrapped_key = models.BinaryField()
    ciphertext = models.BinaryField()
    date_updated = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("table", "row_id", "column"), name="vault_sealedsecret_unique")]

    def __str__(self) -> str:
        return f"{self.table} {self.row_id} {self.column}"
