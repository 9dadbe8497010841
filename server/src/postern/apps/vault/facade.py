"""Public interface of the vault.

`open_credential` and `open_gateway_credential` serve the internal API only: users never get a secret back.
"""

from postern.apps.vault.gateways.actions import check_host_key as check_gateway_host_key
from postern.apps.vault.gateways.actions import create_gateway, note_answer, note_silence
from postern.apps.vault.gateways.queries import names as gateway_names
from postern.apps.vault.gateways.queries import open_gateway_credential, route_through, route_to
from postern.apps.vault.sealed_secrets.actions import RotationReport, retire, rewrap_all, rotate
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.secret_store import drop_all as drop_secrets
from postern.apps.vault.sealed_secrets.secret_store import get as get_secret
from postern.apps.vault.sealed_secrets.secret_store import put as put_secret
from postern.apps.vault.system_users.actions import create_system_user
from postern.apps.vault.system_users.automatic import (
    AutomaticAccounts,
    assets_to_push,
    automatic_accounts,
    bound_assets,
    bound_to_nodes,
    has_bound_nodes,
    nodes_above,
)
from postern.apps.vault.system_users.pushing import AccountToPush, account_to_push, accounts_of, note_account
from postern.apps.vault.system_users.queries import SystemUserBrief, open_credential
from postern.apps.vault.system_users.queries import briefs as system_user_briefs

__all__ = [
    "AccountToPush",
    "AutomaticAccounts",
    "RotationReport",
    "SecretPlace",
    "SystemUserBrief",
    "account_to_push",
    "accounts_of",
    "assets_to_push",
    "automatic_accounts",
    "bound_assets",
    "bound_to_nodes",
    "check_gateway_host_key",
    "create_gateway",
    "create_system_user",
    "drop_secrets",
    "gateway_names",
    "get_secret",
    "has_bound_nodes",
    "nodes_above",
    "note_account",
    "note_answer",
    "note_silence",
    "open_credential",
    "open_gateway_credential",
    "put_secret",
    "retire",
    "rewrap_all",
    "rotate",
    "route_through",
    "route_to",
    "system_user_briefs",
]
