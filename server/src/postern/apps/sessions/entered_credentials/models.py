"""The table of credentials that users entered beforehand. Their passwords are encrypted in the vault."""

from typing import Final, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.vault import facade as vault
from postern.foundation.caller.actor import Actor
from postern.foundation.models import PosternModel, ScopedQuerySet
from postern.kernel import clock

#: Table name in the places of the passwords.
TABLE: Final = "sessions_enteredcredential"


class _Own(ScopedQuerySet):
    def visible_to(self, actor: Actor, scope: object) -> Self:
        """The person's own that a session would still get, in all their organizations."""
        del scope
        return self.owned_by(actor).filter(epoch=actor.epoch, used_by=None, date_expired__gt=clock.now())

    def owned_by(self, actor: Actor) -> Self:
        """Those of organizations to which the person still belongs."""
        if actor.user_id is None:
            return self.none()
        rows = self.filter(user_id=actor.user_id)
        return rows if actor.is_super_user else rows.filter(org_id__in=actor.org_ids)


class EnteredCredential(PosternModel):
    """A user name and password that one user entered for their next session on one asset with one system user.

    `epoch` is `User.session_epoch` at that time: when the two differ, the row is void. `used_by` is the session that
    received the password; no other session does.
    """

    org_id = models.UUIDField()
    user_id = models.UUIDField()
    asset_id = models.UUIDField()
    system_user_id = models.UUIDField()
    #: The names as they were then: the list shows nothing that the user could not see when they entered it.
    asset = models.CharField(_("Asset"), max_length=128, default="")
    system_user = models.CharField(_("System user"), max_length=128, default="")
    login_name = models.CharField(_("Username"), max_length=128)
    epoch = models.PositiveIntegerField(null=True, editable=False)
    date_created = models.DateTimeField(_("Date created"), default=clock.now)
    date_expired = models.DateTimeField(_("Date expired"), db_index=True)
    used_by = models.UUIDField(null=True, editable=False)

    objects = models.Manager.from_queryset(_Own)()

    class Meta:
        verbose_name = _("Entered credential")
        verbose_name_plural = _("Entered credentials")
        constraints = [
            models.UniqueConstraint(
                fields=("user_id", "asset_id", "system_user_id"), name="sessions_enteredcredential_unique"
            )
        ]
        indexes = [models.Index(fields=("user_id", "date_expired", "id"), name="sessions_entered_of_user")]

    def __str__(self) -> str:
        return f"credential of {self.user_id} for {self.system_user_id}@{self.asset_id}"

    @property
    def place(self) -> vault.SecretPlace:
        """The place of the password."""
        return vault.SecretPlace(table=TABLE, row_id=self.pk, org_id=self.org_id, column="password")
