"""What the tables of every kind of permission have in common."""

from datetime import datetime, timedelta
from typing import ClassVar, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import OrgOwnedModel, SavedRow, ScopedManager
from postern.kernel.clock import now

DEFAULT_LIFE: Final = timedelta(days=70 * 365 + 17)


def default_date_expired() -> datetime:
    """Seventy years from now, which means never in practice."""
    return now() + DEFAULT_LIFE


class Permission(OrgOwnedModel):
    """A grant. It is valid while it is active and `date_start <= now < date_expired`."""

    name = models.CharField(_("Name"), max_length=128)
    is_active = models.BooleanField(_("Active"), default=True)
    date_start = models.DateTimeField(_("Date start"), default=now)
    date_expired = models.DateTimeField(_("Date expired"), default=default_date_expired)

    objects = ScopedManager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        """Outside its dates: not yet started or already ended (contract: permissions)."""
        return not self.date_start <= now() < self.date_expired

    @property
    def is_valid(self) -> bool:
        return self.is_active and not self.is_expired


class LinkRow(SavedRow):
    """One object that a permission names. The ids are integers, because the API shows these rows as resources."""

    #: Columns of the permission and of the object.
    ends: ClassVar[tuple[str, str]]

    class Meta:
        abstract = True

    def __str__(self) -> str:
        permission, named = self.ends
        return f"{getattr(self, f'{permission}_id')}: {getattr(self, f'{named}_id')}"
