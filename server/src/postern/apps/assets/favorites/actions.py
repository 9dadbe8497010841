"""Writes of stars."""

from typing import Literal
from uuid import UUID

from django.db import transaction

from postern.apps.assets.favorites.models import FavoriteAsset
from postern.apps.assets.tree.models import Asset
from postern.apps.audits import facade as audits
from postern.foundation.caller.actor import Actor


@transaction.atomic
def add_favorite(*, actor: Actor, user_id: UUID, asset: Asset) -> FavoriteAsset:
    """Star an asset; a star that is there stays."""
    row, created = FavoriteAsset.objects.get_or_create(user_id=user_id, asset=asset)
    if created:
        _record_star(actor, "create", row)
    return row


@transaction.atomic
def remove_favorite(*, actor: Actor, favorite: FavoriteAsset) -> None:
    """Take a star away."""
    favorite_id = favorite.pk
    favorite.delete()
    favorite.pk = favorite_id  # the audit chain's lock comes last, as in every write
    _record_star(actor, "delete", favorite)


def _record_star(actor: Actor, action: Literal["create", "delete"], row: FavoriteAsset) -> None:
    shown = {"user": actor.label}
    audits.record(
        actor=actor,
        org_id=row.asset.org_id,
        event=audits.Event.FAVORITEASSET_CREATED if action == "create" else audits.Event.FAVORITEASSET_DELETED,
        action=action,
        object_type="FavoriteAsset",
        object_id=str(row.pk),
        object_name=str(row.asset),
        old=shown if action == "delete" else None,
        new=shown if action == "create" else None,
    )
