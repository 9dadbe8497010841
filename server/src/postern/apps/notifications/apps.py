"""Django application of notifications."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "postern.apps.notifications"
    label = "notifications"
    default_auto_field = "django.db.models.BigAutoField"
