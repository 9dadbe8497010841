"""Django application of access plans."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PlansConfig(AppConfig):
    name = "postern.apps.plans"
    label = "plans"
    verbose_name = _("Access plans")
    default_auto_field = "django.db.models.BigAutoField"
