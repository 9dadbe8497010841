"""Tables of the values that administrators have set. A setting without a row has its default."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.registry import REGISTRY
from postern.foundation.models import SavedRow


class PreferenceValue(SavedRow):
    """The value of one setting of the registry. A row of a secret setting only says that it is set: the vault has the
    secret.

    `version`: the version of all settings after this value was set.
    """

    name = models.CharField(max_length=128, primary_key=True)
    value = models.JSONField(null=True)
    version = models.BigIntegerField(default=0)
    updated_by = models.CharField(max_length=260, blank=True, default="")
    date_updated = models.DateTimeField(auto_now=True)

    #: Labels of the audit log: an audit record of settings has setting names in place of column names.
    recorded_labels: ClassVar = {name: setting.label for name, setting in REGISTRY.items()}
    recorded_words: ClassVar = {name: setting.in_words for name, setting in REGISTRY.items() if setting.choices}

    class Meta:
        verbose_name = _("System setting")

    def __str__(self) -> str:
        return self.name


class PreferenceVersion(SavedRow):
    """The version of all settings: a single row, which every change locks and increments."""

    version = models.BigIntegerField(default=0)

    class Meta:
        verbose_name = _("Version of the system settings")

    def __str__(self) -> str:
        return str(self.version)
