"""The rbac app: roles, permission bits, and what an actor may do in an organization."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RbacConfig(AppConfig):
    name = "postern.apps.rbac"
    label = "rbac"
    verbose_name = _("Roles")
