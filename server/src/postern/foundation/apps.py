"""Django application of the foundation: its only table (the outbox) and the start-up checks."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.db.models.signals import post_migrate


class FoundationConfig(AppConfig):
    name = "postern.foundation"
    label = "foundation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        with _as_if_missing("requests"):
            # It would load `requests` for a test client that nobody uses: 10 MB in every process.
            import rest_framework.compat  # noqa: F401, PLC0415 - the app registry must be ready first

        from postern.foundation import checks, installation  # noqa: PLC0415 - the app registry must be ready first

        register(checks.every_route_declares_its_rights, Tags.security)
        register(checks.every_list_names_its_columns, Tags.models)
        post_migrate.connect(installation.run_after_migrate, sender=self)


@contextmanager
def _as_if_missing(name: str) -> Iterator[None]:
    """Within the block, an import of this module fails, unless it is loaded already."""
    if sys.modules.get(name) is not None:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # the documented way to make an import fail
    try:
        yield
    finally:
        del sys.modules[name]
