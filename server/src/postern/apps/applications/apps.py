"""Django application of applications."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ApplicationsConfig(AppConfig):
    name = "postern.apps.applications"
    label = "applications"
    verbose_name = _("Applications")
    default_auto_field = "django.db.models.BigAutoField"
