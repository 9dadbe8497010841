"""`assets/favorite-assets/`."""

from typing import Any, cast
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.favorites import actions
from postern.apps.assets.favorites.models import FavoriteAsset
from postern.apps.assets.tree.models import Asset
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, ReadOnlyViewSet


class StarredAssetField(OrgOwnedField):
    """An asset of any organization of the caller.

    Assets of other organizations are reported as missing (K16: ids of other organizations are not found).
    """

    def get_queryset(self) -> QuerySet[Any]:
        rows = super().get_queryset()
        actor = self.context.get("actor")
        return rows if actor is None or actor.is_super_auditor else rows.filter(org_id__in=actor.org_ids)


class FavoriteAssetSerializer(ResourceSerializer):
    asset = StarredAssetField(Asset, label=gettext_lazy("Asset"))

    class Meta:
        model = FavoriteAsset
        fields = ("id", "asset")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs  # adding an existing favourite is not an error


class FavoriteAssetViewSet(CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """The caller's own favourites, in all organizations.

    Lists of favourites check whether the user may still reach the asset; this endpoint does not.
    """

    importable = False

    queryset = FavoriteAsset.objects.all()
    serializer_class = FavoriteAssetSerializer
    made_in_organization = changed_in_organization = False  # favourites belong to a user, not to an organization
    rights = Right.VALID_USER
    filter_fields = ("asset",)
    default_order = ("asset_id",)

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        serializer = FavoriteAssetSerializer(
            data=request.data, context={**self.get_serializer_context(), "scope": None}
        )
        serializer.is_valid(raise_exception=True)
        row = actions.add_favorite(
            actor=self.actor,
            user_id=cast("UUID", self.actor.user_id),
            asset=serializer.validated_data["asset"],
        )
        return Response(FavoriteAssetSerializer(row).data, status=201)

    def delete_object(self, instance: FavoriteAsset) -> None:
        actions.remove_favorite(actor=self.actor, favorite=instance)
