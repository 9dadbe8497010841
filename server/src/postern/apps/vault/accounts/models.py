"""Accounts under their own name, for the API and the audit log. The table is that of `SystemUserAsset`."""

from django.utils.translation import gettext_lazy as _

from postern.apps.vault.system_users.models import SystemUserAsset


class Account(SystemUserAsset):
    """An account on an asset."""

    class Meta:
        proxy = True
        verbose_name = _("Account")
        verbose_name_plural = _("Accounts")

    def __str__(self) -> str:
        return f"{self.login_name or '*'}@{self.asset.hostname}"

    @property
    def login_name(self) -> str:
        """The name on the host; "" if each user signs in with their own."""
        return self.username or (self.systemuser.username if self.systemuser is not None else "")


class AccountSecret(Account):
    """An account together with its secrets. They are read with the rows of an answer and are never cached."""

    class Meta:
        proxy = True
        verbose_name = _("Secret of an account")
