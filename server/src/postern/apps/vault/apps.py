"""Django application of the vault."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from postern.foundation import installation


class VaultConfig(AppConfig):
    name = "postern.apps.vault"
    label = "vault"
    verbose_name = _("Vault")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from postern.apps.assets.facade import register_admin_users  # noqa: PLC0415 - the app registry must be ready first
        from postern.apps.authn.facade import register_totp_secrets  # noqa: PLC0415 - the app registry must be ready first
        from postern.apps.vault import holdings, subscriptions  # noqa: PLC0415 - the app registry must be ready first
        from postern.apps.vault.installation import ensure  # noqa: PLC0415 - the app registry must be ready first
        from postern.apps.vault.queries import AdminUsers  # noqa: PLC0415 - the app registry must be ready first
        from postern.apps.vault.totp_secrets import SealedTotpSecrets  # noqa: PLC0415 - the app registry must be ready first

        holdings.register()
        subscriptions.subscribe()
        register_admin_users(AdminUsers())
        register_totp_secrets(SealedTotpSecrets())
        installation.register(ensure)
