"""Re-exports the tables of the vault for Django's model discovery and for the other apps."""

from postern.apps.vault.gateways.models import Gateway
from postern.apps.vault.sealed_secrets.models import SealedSecret, StoreFolder, UnusedPath
from postern.apps.vault.system_users.models import (
    LoginMode,
    SystemUser,
    SystemUserAsset,
    SystemUserNode,
    SystemUserType,
    SystemUserUser,
)

__all__ = [
    "Gateway",
    "LoginMode",
    "SealedSecret",
    "StoreFolder",
    "SystemUser",
    "SystemUserAsset",
    "SystemUserNode",
    "SystemUserType",
    "SystemUserUser",
    "UnusedPath",
]
