"""Re-exports the tables of the vault for Django's model discovery and for the other apps."""

from postern.apps.vault.accounts.models import Account, AccountSecret
from postern.apps.vault.gateways.models import Gateway
from postern.apps.vault.sealed_secrets.models import SealedSecret, StoreFolder, UnusedPath
from postern.apps.vault.system_users.models import (
    AccountVersion,
    LoginMode,
    NodeUpkeep,
    SystemUser,
    SystemUserAsset,
    SystemUserNode,
    SystemUserType,
    SystemUserUser,
)

__all__ = [
    "Account",
    "AccountSecret",
    "AccountVersion",
    "Gateway",
    "LoginMode",
    "NodeUpkeep",
    "SealedSecret",
    "StoreFolder",
    "SystemUser",
    "SystemUserAsset",
    "SystemUserNode",
    "SystemUserType",
    "SystemUserUser",
    "UnusedPath",
]
