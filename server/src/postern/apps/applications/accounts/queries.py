"""The secret that a sign-in on an application gets. Everything that releases or shows a secret asks here."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from postern.apps.applications.accounts.models import ApplicationAccount
from postern.apps.applications.accounts.places import place_of
from postern.apps.vault import facade as vault
from postern.apps.vault.models import LoginMode
from postern.contracts.enums import Protocol
from postern.kernel.secret import Secret

#: Where the secret of an account comes from.
Source = Literal["account", "system_user", "none", "unreadable"]


class Opened(NamedTuple):
    """The secret of an account, and where it is from. `Secret` shows nothing in texts."""

    source: Source
    secret: Secret | None = None


def open_secrets(rows: Sequence[ApplicationAccount]) -> dict[str, Opened]:
    """The secrets that these accounts sign in with, by their keys. Each stored secret is read once."""
    read: dict[vault.SecretPlace, Opened] = {}
    opened: dict[str, Opened] = {}
    for row in rows:
        kept = _kept(row)
        if kept is None:
            opened[row.pk] = Opened("none")
            continue
        source, place = kept
        if place not in read:
            read[place] = _read(source, place)
        opened[row.pk] = read[place]
    return opened


def secret_of(row: ApplicationAccount) -> Secret | None:
    """The secret that this account signs in with; None when none is stored. Raises SecretUnreadable."""
    place = _kept(row)
    return vault.get_secret(place[1]) if place is not None else None


def _kept(row: ApplicationAccount) -> tuple[Source, vault.SecretPlace] | None:
    """Whose secret the account signs in with, and where it is kept; None when its users enter one. Of a system user for
    Kubernetes, the secret is the token.
    """
    system_user = row.systemuser
    if row.has_own_secret:
        return "account", place_of(row)
    if system_user.login_mode == LoginMode.MANUAL:
        return None
    column = "token" if system_user.protocol == Protocol.K8S else "password"
    return "system_user", vault.place_of_system_user(system_user, column)


def _read(source: Source, place: vault.SecretPlace) -> Opened:
    try:
        secret = vault.get_secret(place)
    except vault.SecretUnreadable:
        return Opened("unreadable")
    return Opened(source, secret) if secret is not None else Opened("none")
