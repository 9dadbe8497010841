"""Showing the secrets of a system user to an administrator, who has proved their second factor again.

Each look is audited before the answer leaves.
"""

from collections.abc import Mapping
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.assets.models import Asset
from postern.apps.audits import facade as audits
from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.outside import read_outside
from postern.apps.vault.system_users.automatic import bound_assets
from postern.apps.vault.system_users.credentials import secrets_for
from postern.apps.vault.system_users.models import SystemUser
from postern.apps.vault.system_users.places import place_of
from postern.apps.vault.system_users.rules import SECRET_COLUMNS
from postern.foundation.caller import identity
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import NotFound
from postern.kernel.secret import Secret


def reveal(*, actor: Actor, system_user: SystemUser) -> dict[str, str]:
    """The secrets by name; "" for a secret that is not stored. Raises SecretUnreadable."""
    return read_outside(lambda: _reveal(actor, system_user, {}))


def reveal_on_asset(*, actor: Actor, system_user: SystemUser, asset_id: UUID, username: str) -> dict[str, str]:
    """The secrets for a sign-in as `username` on an asset that the system user is bound to: those of its account there, if that has
    its own. Raises NotFound, SecretUnreadable.
    """
    return read_outside(lambda: _reveal_on_asset(actor, system_user, asset_id, username))


@write_transaction()
def _reveal_on_asset(actor: Actor, system_user: SystemUser, asset_id: UUID, username: str) -> dict[str, str]:
    asset: Asset | None = bound_assets(system_user.pk).filter(pk=asset_id, org_id=system_user.org_id).first()
    if asset is None:
        raise NotFound(_("This system user is not bound to this asset."))
    account = secrets_for(system_user, asset_id=asset.pk, username=username)
    own = {"password": account.password, "private_key": account.private_key} if account.is_own else {}
    # Accounts of a dynamic system user have secrets of their own: the record must say whose was seen.
    where = {"username": username} if system_user.username_same_with_user else {}
    return _reveal(actor, system_user, {"asset": asset.hostname, **where}, own)


@write_transaction()
def _reveal(
    actor: Actor, system_user: SystemUser, where: dict[str, str], own: Mapping[str, Secret | None] | None = None
) -> dict[str, str]:
    identity.require_standing(actor)
    secrets = {}
    for column in SECRET_COLUMNS:
        secret = own.get(column) if own else secret_store.get(place_of(system_user, column))
        secrets[column] = secret.reveal() if secret is not None else ""
    audits.record_change(
        actor=actor,
        action="other",
        event=audits.Event.SYSTEMUSER_SECRETS_VIEWED,
        target=system_user,
        new={**where, **secret_store.masked(column for column, value in secrets.items() if value)},
    )
    return secrets
