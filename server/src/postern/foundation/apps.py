"""Django application of the foundation: its only table (the outbox) and the start-up checks."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.db.models.signals import post_migrate


class FoundationConfig(AppConfig):
    name = "postern.foundation"
    label = "foundation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.foundation import checks, installation  # noqa: PLC0415 - the app registry must be ready first

        register(checks.every_route_declares_its_rights, Tags.security)
        register(checks.every_list_names_its_columns, Tags.models)
        post_migrate.connect(installation.run_after_migrate, sender=self)
