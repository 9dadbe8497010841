"""Showing the secrets of a system user to an administrator, who has proved their second factor again.

Each look is audited before the answer leaves.
"""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.assets.models import Asset
from postern.apps.audits import facade as audits
from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.system_users.automatic import bound_assets
from postern.apps.vault.system_users.models import SystemUser
from postern.apps.vault.system_users.places import place_of
from postern.apps.vault.system_users.rules import SECRET_COLUMNS
from postern.foundation.caller import identity
from postern.foundation.caller.actor import Actor
from postern.kernel.errors import NotFound


@transaction.atomic
def reveal(*, actor: Actor, system_user: SystemUser) -> dict[str, str]:
    """The secrets by name; "" for one that is not stored. Raises SecretUnreadable."""
    return _reveal(actor, system_user, {})


@transaction.atomic
def reveal_on_asset(*, actor: Actor, system_user: SystemUser, asset_id: UUID) -> dict[str, str]:
    """The secrets that the system user signs in with on an asset it is bound to. Raises NotFound, SecretUnreadable."""
    asset: Asset | None = bound_assets(system_user.pk).filter(pk=asset_id, org_id=system_user.org_id).first()
    if asset is None:
        raise NotFound(_("This system user is not bound to this asset."))
    return _reveal(actor, system_user, {"asset": asset.hostname})


def _reveal(actor: Actor, system_user: SystemUser, where: dict[str, str]) -> dict[str, str]:
    identity.require_standing(actor)
    secrets = {}
    for column in SECRET_COLUMNS:
        secret = secret_store.get(place_of(system_user, column))
        secrets[column] = secret.reveal() if secret is not None else ""
    audits.record_change(
        actor=actor,
        action="other",
        event=audits.Event.SYSTEMUSER_SECRETS_VIEWED,
        target=system_user,
        new={**where, **secret_store.masked(column for column, value in secrets.items() if value)},
    )
    return secrets
