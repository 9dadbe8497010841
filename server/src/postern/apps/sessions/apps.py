"""Django application of sessions."""

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "postern.apps.sessions"
    label = "sessions"
    default_auto_field = "django.db.models.BigAutoField"
