from django.apps import AppConfig


class OrgsConfig(AppConfig):
    name = "postern.apps.orgs"
    label = "orgs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.orgs import actions, facade  # noqa: PLC0415 - the app registry must be ready first
        from postern.foundation import identity, installation  # noqa: PLC0415 - as above

        installation.register(actions.ensure_default_organization)
        identity.register_org_names(facade.names)
