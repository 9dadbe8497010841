"""The table of credentials that users entered beforehand. Their passwords are encrypted in the vault."""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.vault import facade as vault
from postern.foundation.models import PosternModel
from postern.kernel import clock

#: Table name in the places of the passwords.
TABLE: Final = "sessions_enteredcredential"


class EnteredCredential(PosternModel):
    """A user name and password that one user entered for their next session on one asset with one system user.

    `epoch` is `User.session_epoch` at that time: when the two differ, the row is void. `used_by` is the session that
    received the password; no other session does.
    """

    org_id = models.UUIDField()
    user_id = models.UUIDField()
    asset_id = models.UUIDField()
    system_user_id = models.UUIDField()
    login_name = models.CharField(max_length=128)
    epoch = models.PositiveIntegerField(null=True, editable=False)
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField(db_index=True)
    used_by = models.UUIDField(null=True, editable=False)

    class Meta:
        verbose_name = _("Entered credential")
        constraints = [
            models.UniqueConstraint(
                fields=("user_id", "asset_id", "system_user_id"), name="sessions_enteredcredential_unique"
            )
        ]

    def __str__(self) -> str:
        return f"credential of {self.user_id} for {self.system_user_id}@{self.asset_id}"

    @property
    def place(self) -> vault.SecretPlace:
        """The place of the password."""
        return vault.SecretPlace(table=TABLE, row_id=self.pk, org_id=self.org_id, column="password")
