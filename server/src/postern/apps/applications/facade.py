"""Public interface of applications for other apps, which may read the models through relations."""

from postern.apps.applications.accounts.actions import grant_accounts, hold_accounts, withdraw_accounts
from postern.apps.applications.kinds.declarations import DECLARATIONS, ApplicationType, Category, Declaration
from postern.apps.applications.managed.actions import create_application
from postern.apps.applications.managed.licence import open_rows
from postern.apps.applications.managed.licence import require_for as require_licence_for
from postern.apps.applications.managed.starting import PROGRAM as REMOTE_APP_PROGRAM
from postern.apps.applications.managed.starting import parameters_of
from postern.apps.applications.managed.tree import Leaf, node, tree

__all__ = [
    "DECLARATIONS",
    "REMOTE_APP_PROGRAM",
    "ApplicationType",
    "Category",
    "Declaration",
    "Leaf",
    "create_application",
    "grant_accounts",
    "hold_accounts",
    "node",
    "open_rows",
    "parameters_of",
    "require_licence_for",
    "tree",
    "withdraw_accounts",
]
