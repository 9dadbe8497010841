"""The table of platforms."""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import SavedRow

#: Ids of the built-in platforms (contract: conventions section 14); custom platforms get larger ids.
LAST_INTERNAL_PLATFORM_ID: Final = 7


class PlatformBase(models.TextChoices):
    LINUX = "Linux", "Linux"
    UNIX = "Unix", "Unix"
    MACOS = "MacOS", "MacOS"
    BSD = "BSD", "BSD"
    WINDOWS = "Windows", "Windows"
    OTHER = "Other", _("Other")


class Charset(models.TextChoices):
    UTF8 = "utf8", "UTF-8"
    GBK = "gbk", "GBK"


class Platform(SavedRow):
    """The kind of system that an asset runs. Shared by all organizations; built-in platforms cannot be changed."""

    id = models.AutoField(primary_key=True)
    name = models.SlugField(_("Name"), max_length=50, unique=True)
    base = models.CharField(_("Base"), max_length=16, choices=PlatformBase.choices, default=PlatformBase.LINUX)
    charset = models.CharField(_("Charset"), max_length=8, choices=Charset.choices, default=Charset.UTF8)
    internal = models.BooleanField(_("Internal"), default=False)
    meta = models.JSONField(_("Meta"), null=True, blank=True)
    comment = models.TextField(_("Comment"), null=True, blank=True)

    class Meta:
        ordering = ("id",)
        verbose_name = _("Platform")

    def __str__(self) -> str:
        return self.name
