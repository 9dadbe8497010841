from django.apps import AppConfig

from postern.foundation import write_transaction
from postern.foundation.rest.exchange import trail


class AuditsConfig(AppConfig):
    name = "postern.apps.audits"
    label = "audits"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.audits import actions, facade  # noqa: PLC0415 - the app registry must be ready first

        trail.register_recorder(facade.record_export)
        write_transaction.register_gathering(actions.gathered)
