"""Django application of notifications."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "postern.apps.notifications"
    label = "notifications"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.notifications import subscriptions  # noqa: PLC0415 - the app registry must be ready first

        subscriptions.connect()
