"""The authn app: sign-in and sign-out, login sessions, tokens, access keys, lock-out."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AuthnConfig(AppConfig):
    name = "postern.apps.authn"
    label = "authn"
    verbose_name = _("Authentication")
