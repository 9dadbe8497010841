from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    name = "postern.apps.preferences"
    label = "preferences"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.preferences import facade  # noqa: PLC0415 - the app registry must be ready first
        from postern.foundation import identity  # noqa: PLC0415 - as above

        identity.register_root_org_name(lambda: facade.get_str("GLOBAL_ORG_DISPLAY_NAME"))
