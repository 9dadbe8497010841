"""Values that administrators have set. A setting without a row has its default."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.registry import REGISTRY
from postern.foundation.models import SavedRow


class PreferenceValue(SavedRow):
    """The value of one setting of the registry. Of a secret setting, only that it is set: the vault has the value.

    `version`: the version of all settings that this value was set with.
    """

    name = models.CharField(max_length=128, primary_key=True)
    value = models.JSONField(null=True)
    version = models.BigIntegerField(default=0)
    updated_by = models.CharField(max_length=260, blank=True, default="")
    date_updated = models.DateTimeField(auto_now=True)

    #: Words of the audit log: settings take the place of the columns of other records.
    recorded_labels: ClassVar = {name: setting.label for name, setting in REGISTRY.items()}
    recorded_words: ClassVar = {name: setting.in_words for name, setting in REGISTRY.items() if setting.choices}

    class Meta:
        verbose_name = _("System setting")

    def __str__(self) -> str:
        return self.name


class PreferenceVersion(SavedRow):
    """The version of all settings: a single row, which every change raises and locks."""

    version = models.BigIntegerField(default=0)

    class Meta:
        verbose_name = _("Version of the system settings")

    def __str__(self) -> str:
        return str(self.version)
