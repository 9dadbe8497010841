"""Django application of notifications."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "postern.apps.notifications"
    label = "notifications"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.notifications.declarations.catalogue import label_of  # the declarations name models
        from postern.apps.notifications.models import SystemMessageSubscription

        SystemMessageSubscription.recorded_name = staticmethod(lambda name: str(label_of(name)))
