"""The secret that a sign-in on an application gets. Everything that releases or shows one asks here."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from postern.apps.applications.accounts.models import ApplicationAccount
from postern.apps.applications.accounts.places import place_of
from postern.apps.vault import facade as vault
from postern.apps.vault.models import LoginMode, SystemUser
from postern.contracts.enums import Protocol
from postern.kernel.secret import Secret

#: Where the secret of an account comes from.
Source = Literal["account", "system_user", "none", "unreadable"]


class Opened(NamedTuple):
    """The secret of an account, and where it is from. `Secret` shows nothing in texts."""

    source: Source
    secret: Secret | None = None


def open_secrets(rows: Sequence[ApplicationAccount]) -> dict[str, Opened]:
    """The secrets that these accounts sign in with, by their keys. Each system user's is read once."""
    of_system_users: dict[object, Opened] = {}
    opened: dict[str, Opened] = {}
    for row in rows:
        if row.has_own_secret:
            opened[row.pk] = _read("account", place_of(row))
            continue
        if row.systemuser_id not in of_system_users:
            of_system_users[row.systemuser_id] = _of_system_user(row.systemuser)
        opened[row.pk] = of_system_users[row.systemuser_id]
    return opened


def _of_system_user(system_user: SystemUser) -> Opened:
    """Of a system user for Kubernetes, the secret is the token."""
    if system_user.login_mode == LoginMode.MANUAL:
        return Opened("none")
    column = "token" if system_user.protocol == Protocol.K8S else "password"
    return _read("system_user", vault.place_of_system_user(system_user, column))


def _read(source: Source, place: vault.SecretPlace) -> Opened:
    try:
        secret = vault.get_secret(place)
    except vault.SecretUnreadable:
        return Opened("unreadable")
    return Opened(source, secret) if secret is not None else Opened("none")
