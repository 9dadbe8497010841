"""Django application of sessions."""

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "postern.apps.sessions"
    label = "sessions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # The app registry must be ready first
        from postern.apps.audits import facade as audits  # noqa: PLC0415
        from postern.apps.sessions import holdings, queries, subscriptions  # noqa: PLC0415
        from postern.apps.sessions.actions import sealing  # noqa: PLC0415
        from postern.apps.sessions.queries import verification  # noqa: PLC0415
        from postern.foundation import health, installation  # noqa: PLC0415

        holdings.register()
        subscriptions.connect()
        health.register("proxy", queries.require_a_proxy)
        audits.register_verifier(verification.verify)
        installation.register(sealing.adopt_earlier)
