"""The table of organizations. The root organization is not stored."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import DatedModel
from postern.kernel.ids import DEFAULT_ORG_ID


class Organization(DatedModel):
    """A tenant: every asset, permission, session and record belongs to an organization."""

    name = models.CharField(_("Name"), max_length=128, unique=True)
    comment = models.TextField(_("Comment"), blank=True, default="")

    class Meta:
        verbose_name = _("Organization")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def is_default(self) -> bool:
        """Whether this is the organization that every installation has."""
        return self.pk == DEFAULT_ORG_ID

    @property
    def is_root(self) -> bool:
        """Always false: the root organization is not stored."""
        return False
