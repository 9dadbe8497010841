"""Routes of the assets app, relative to /api/v1/."""

from postern.apps.assets.api.assets import (
    AssetViewSet,
    FavoriteAssetViewSet,
    HostKeyViewSet,
    LabelViewSet,
    PlatformViewSet,
)
from postern.apps.assets.api.nodes import NodeViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("assets/assets", AssetViewSet, "asset")
router.register("assets/platforms", PlatformViewSet, "platform")
router.register("assets/labels", LabelViewSet, "label")
router.register("assets/nodes", NodeViewSet, "node")
router.register("assets/host-keys", HostKeyViewSet, "host-key")
router.register("assets/favorite-assets", FavoriteAssetViewSet, "favorite-asset")

urlpatterns = router.urls
