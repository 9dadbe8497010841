"""The table of application accounts."""

from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.applications.managed.models import Application
from postern.apps.vault.models import SystemUser
from postern.foundation.models import SavedRow, ScopedManager
from postern.kernel import clock
from postern.kernel.ids import new_id


def key_of(application_id: UUID, system_user_id: UUID) -> str:
    """The key of an account (contract: `uid`)."""
    return f"{application_id}_{system_user_id}"


class ApplicationAccount(SavedRow):
    """A system user on an application. Writes of application permissions add and remove these rows.

    Without a secret of its own it has that of its system user. An account that has a secret stays when no permission grants it
    any more (`is_granted`), because a secret must not get lost by a change of permissions.
    """

    id = models.CharField(primary_key=True, max_length=73, editable=False)
    #: The id of its secret in the store, and of the account in audit records.
    secret_id = models.UUIDField(default=new_id, editable=False)
    org_id = models.UUIDField(_("Organization"), db_index=True, editable=False)
    application = models.ForeignKey(
        Application, models.CASCADE, related_name="account_rows", verbose_name=_("Application")
    )
    systemuser = models.ForeignKey(
        SystemUser, models.CASCADE, related_name="application_account_rows", verbose_name=_("System user")
    )
    is_granted = models.BooleanField(_("Granted"), default=True, editable=False)
    has_own_secret = models.BooleanField(_("Own secret"), default=False, editable=False)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)

    objects = ScopedManager()

    class Meta:
        ordering = ("date_created", "id")
        verbose_name = _("Application account")
        constraints = [
            models.UniqueConstraint(fields=("application", "systemuser"), name="applications_account_unique")
        ]
        indexes = [
            models.Index(fields=("org_id", "date_created", "id"), name="applications_account_order"),
            models.Index(fields=("date_created", "id"), name="applications_account_by_date"),
        ]

    def __str__(self) -> str:
        return f"{self.systemuser.username or '*'}@{self.application.name}"

    @property
    def recorded_id(self) -> UUID:
        """The id in audit records, whose column is shorter than the key."""
        return self.secret_id


class ApplicationAccountSecret(ApplicationAccount):
    """An account together with its secret. It is read with the rows of an answer and is never cached."""

    class Meta:
        proxy = True
        verbose_name = _("Secret of an application account")
