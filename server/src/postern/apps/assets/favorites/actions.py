"""Writes of favourites."""

from typing import Literal
from uuid import UUID

from django.db import transaction

from postern.apps.assets.favorites.models import FavoriteAsset
from postern.apps.assets.tree.models import Asset
from postern.apps.audits import facade as audits
from postern.foundation.caller.actor import Actor


@transaction.atomic
def add_favorite(*, actor: Actor, user_id: UUID, asset: Asset) -> FavoriteAsset:
    """Add an asset to the favourites. Does nothing when it is a favourite already."""
    row, created = FavoriteAsset.objects.get_or_create(user_id=user_id, asset=asset)
    if created:
        _record_star(actor, "create", row)
    return row


@transaction.atomic
def remove_favorite(*, actor: Actor, favorite: FavoriteAsset) -> None:
    """Remove an asset from the favourites."""
    favorite_id = favorite.pk
    favorite.delete()
    favorite.pk = favorite_id  # the lock of the audit chain is taken last, as in every write
    _record_star(actor, "delete", favorite)


def _record_star(actor: Actor, action: Literal["create", "delete"], row: FavoriteAsset) -> None:
    recorded = {"user": actor.label}
    audits.record(
        actor=actor,
        org_id=row.asset.org_id,
        event=audits.Event.FAVORITEASSET_CREATED if action == "create" else audits.Event.FAVORITEASSET_DELETED,
        action=action,
        object_type="FavoriteAsset",
        object_id=str(row.pk),
        object_name=str(row.asset),
        old=recorded if action == "delete" else None,
        new=recorded if action == "create" else None,
    )
