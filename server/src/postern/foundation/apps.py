"""Django application of the foundation: its only table (the outbox) and the start-up checks."""

import sys
from types import ModuleType

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.db.models.signals import post_migrate


class FoundationConfig(AppConfig):
    name = "postern.foundation"
    label = "foundation"
    default_auto_field = "django.db.models.BigAutoField"

    def __init__(self, app_name: str, app_module: ModuleType | None) -> None:
        super().__init__(app_name, app_module)
        # `rest_framework.compat` would load `requests` for a test client that nobody uses: 10 MB in every process. While
        # the apps are loaded, some of which import it, an import of `requests` fails.
        self._hides_requests = sys.modules.get("requests") is None
        if self._hides_requests:
            sys.modules["requests"] = None  # type: ignore[assignment]  # the documented way to make an import fail

    def ready(self) -> None:
        import rest_framework.compat  # noqa: F401, PLC0415 - the app registry must be ready first

        if self._hides_requests:
            del sys.modules["requests"]

        from postern.foundation import checks, installation  # noqa: PLC0415 - the app registry must be ready first

        register(checks.every_route_declares_its_rights, Tags.security)
        register(checks.every_list_names_its_columns, Tags.models)
        post_migrate.connect(installation.run_after_migrate, sender=self)
