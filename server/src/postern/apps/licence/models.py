"""The installed licence, stored as the installed file. Every reading verifies the signature."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import PosternModel
from postern.kernel import clock


class InstalledLicence(PosternModel):
    """An installed licence file. The latest row counts."""

    text = models.TextField(max_length=16_384)
    installed_by = models.CharField(max_length=260, blank=True, default="")
    date_installed = models.DateTimeField(default=clock.now)
    #: Day of the last warning to the administrators.
    date_warned = models.DateField(null=True)

    class Meta:
        verbose_name = _("Licence")
        ordering = ("-date_installed", "-id")

    def __str__(self) -> str:
        return f"licence installed on {self.date_installed:%Y-%m-%d}"
