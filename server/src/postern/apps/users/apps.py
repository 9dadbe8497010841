"""The users app: users, their groups and their memberships of organizations."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class UsersConfig(AppConfig):
    name = "postern.apps.users"
    label = "users"
    verbose_name = _("Users")
