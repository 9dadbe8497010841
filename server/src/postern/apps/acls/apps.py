"""Django application of access control."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AclsConfig(AppConfig):
    name = "postern.apps.acls"
    label = "acls"
    verbose_name = _("Access control")
    default_auto_field = "django.db.models.BigAutoField"
