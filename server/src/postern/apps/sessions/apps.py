"""Django application of sessions."""

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "postern.apps.sessions"
    label = "sessions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.sessions import holdings, queries, subscriptions  # noqa: PLC0415 - the app registry must be ready first
        from postern.foundation import health  # noqa: PLC0415 - as above

        holdings.register()
        subscriptions.connect()
        health.register("proxy", queries.require_a_proxy)
