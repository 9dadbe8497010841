"""Public interface of the vault. `open_credential` serves the internal API only: users never get a secret back."""

from postern.apps.vault.sealed_secrets.actions import RotationReport, retire, rewrap_all, rotate
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.secret_store import drop_all as drop_secrets
from postern.apps.vault.sealed_secrets.secret_store import get as get_secret
from postern.apps.vault.sealed_secrets.secret_store import put as put_secret
from postern.apps.vault.system_users.actions import create_system_user
from postern.apps.vault.system_users.queries import SystemUserBrief, open_credential
from postern.apps.vault.system_users.queries import briefs as system_user_briefs

__all__ = [
    "RotationReport",
    "SecretPlace",
    "SystemUserBrief",
    "create_system_user",
    "drop_secrets",
    "get_secret",
    "open_credential",
    "put_secret",
    "retire",
    "rewrap_all",
    "rotate",
    "system_user_briefs",
]
