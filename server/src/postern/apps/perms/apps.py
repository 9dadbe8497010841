"""Django application of permissions."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PermsConfig(AppConfig):
    name = "postern.apps.perms"
    label = "perms"
    verbose_name = _("Permissions")
    default_auto_field = "django.db.models.BigAutoField"
