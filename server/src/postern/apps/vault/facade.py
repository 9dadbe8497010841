"""Public interface of the vault.

`open_credential` and `open_gateway_credential` serve the internal API only: users get secrets of
accounts only from `accounts.api`, on record and with a second factor.
"""

from postern.apps.vault.accounts.testing import (
    AccountBrief,
    AccountResult,
    account_briefs,
    note_accounts,
    open_account_of_asset,
)
from postern.apps.vault.gateways.actions import check_host_key as check_gateway_host_key
from postern.apps.vault.gateways.actions import create_gateway, note_answer, note_silence
from postern.apps.vault.gateways.queries import names as gateway_names
from postern.apps.vault.gateways.queries import open_gateway_credential, route_through, route_to
from postern.apps.vault.sealed_secrets.actions.moving import MoveReport, RewrapReport, move, rewrap
from postern.apps.vault.sealed_secrets.actions.rotation import RotationReport, retire, rewrap_all, rotate
from postern.apps.vault.sealed_secrets.actions.tidying import GRACE, LEAST_GRACE, TidyReport, tidy
from postern.apps.vault.sealed_secrets.api import NamesStoredSecrets, StoredSecretsField, with_stored_secrets
from postern.apps.vault.sealed_secrets.errors import SecretUnreadable
from postern.apps.vault.sealed_secrets.outside import read_outside, repeatable, write_outside
from postern.apps.vault.sealed_secrets.overview import StoreOverview, store_overview
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.secret_store import drop as drop_secret
from postern.apps.vault.sealed_secrets.secret_store import drop_all as drop_secrets
from postern.apps.vault.sealed_secrets.secret_store import drop_rows as drop_secrets_of_rows
from postern.apps.vault.sealed_secrets.secret_store import get as get_secret
from postern.apps.vault.sealed_secrets.secret_store import held_columns as held_secrets
from postern.apps.vault.sealed_secrets.secret_store import lock_all as lock_secrets
from postern.apps.vault.sealed_secrets.secret_store import masked as masked_secrets
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
from postern.apps.vault.system_users.places import place_of as place_of_system_user
from postern.apps.vault.system_users.pushing import AccountToPush, account_to_push, accounts_of
from postern.apps.vault.system_users.queries import SystemUserBrief, open_credential
from postern.apps.vault.system_users.queries import briefs as system_user_briefs

__all__ = [
    "GRACE",
    "LEAST_GRACE",
    "AccountBrief",
    "AccountResult",
    "AccountToPush",
    "AutomaticAccounts",
    "MoveReport",
    "NamesStoredSecrets",
    "RewrapReport",
    "RotationReport",
    "SecretPlace",
    "SecretUnreadable",
    "StoreOverview",
    "StoredSecretsField",
    "SystemUserBrief",
    "TidyReport",
    "account_briefs",
    "account_to_push",
    "accounts_of",
    "assets_to_push",
    "automatic_accounts",
    "bound_assets",
    "bound_to_nodes",
    "check_gateway_host_key",
    "create_gateway",
    "create_system_user",
    "drop_secret",
    "drop_secrets",
    "drop_secrets_of_rows",
    "gateway_names",
    "get_secret",
    "has_bound_nodes",
    "held_secrets",
    "lock_secrets",
    "masked_secrets",
    "move",
    "nodes_above",
    "note_accounts",
    "note_answer",
    "note_silence",
    "open_account_of_asset",
    "open_credential",
    "open_gateway_credential",
    "place_of_system_user",
    "put_secret",
    "read_outside",
    "repeatable",
    "retire",
    "rewrap",
    "rewrap_all",
    "rotate",
    "route_through",
    "route_to",
    "store_overview",
    "system_user_briefs",
    "tidy",
    "with_stored_secrets",
    "write_outside",
]
