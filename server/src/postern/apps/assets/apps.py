"""Django application of assets."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from postern.foundation import installation


class AssetsConfig(AppConfig):
    name = "postern.apps.assets"
    label = "assets"
    verbose_name = _("Assets")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.assets import holdings  # noqa: PLC0415 - the app registry must be ready first
        from postern.apps.assets.installation import ensure  # noqa: PLC0415 - as above

        holdings.register()
        installation.register(ensure)
