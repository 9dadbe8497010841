"""Django application of the vault."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class VaultConfig(AppConfig):
    name = "postern.apps.vault"
    label = "vault"
    verbose_name = _("Vault")
    default_auto_field = "django.db.models.BigAutoField"
