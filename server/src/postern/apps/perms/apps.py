"""Django application of permissions."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PermsConfig(AppConfig):
    name = "postern.apps.perms"
    label = "perms"
    verbose_name = _("Permissions")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.perms import holdings  # noqa: PLC0415 - the app registry must be ready first
        from postern.apps.perms.subscriptions import subscribe  # noqa: PLC0415 - as above

        holdings.register()
        subscribe()
