"""Django application of forwarding."""

from django.apps import AppConfig


class ForwardingConfig(AppConfig):
    name = "postern.apps.forwarding"
    label = "forwarding"
    default_auto_field = "django.db.models.BigAutoField"
