"""The table of favourite assets."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.assets.tree.models import Asset
from postern.foundation.models import PosternModel


class FavoriteAssetQuerySet(models.QuerySet["FavoriteAsset"]):
    def visible_to(self, actor: Any, scope: Any) -> "FavoriteAssetQuerySet":
        """The user's own favourites, in all organizations to which they belong."""
        del scope
        if not actor.user_id:
            return self.none()
        rows = self.filter(user_id=actor.user_id)
        return rows if actor.is_super_auditor else rows.filter(asset__org_id__in=actor.org_ids)


class FavoriteAsset(PosternModel):
    """A user's favourite asset."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    asset = models.ForeignKey(Asset, models.CASCADE, related_name="+", verbose_name=_("Asset"))

    objects = FavoriteAssetQuerySet.as_manager()

    class Meta:
        verbose_name = _("Favorite asset")
        constraints = [models.UniqueConstraint(fields=("user", "asset"), name="assets_favoriteasset_unique")]
