"""Django application of assets."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AssetsConfig(AppConfig):
    name = "postern.apps.assets"
    label = "assets"
    verbose_name = _("Assets")
    default_auto_field = "django.db.models.BigAutoField"
