from django.apps import AppConfig


class LicenceConfig(AppConfig):
    name = "postern.apps.licence"
    label = "licence"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.licence import facade  # noqa: PLC0415 - the app registry must be ready first
        from postern.foundation import licensing  # noqa: PLC0415 - as above

        licensing.register(facade.is_valid)
