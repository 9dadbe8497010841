"""Routes of the assets app, relative to /api/v1/."""

from postern.apps.assets.assets.api.views import AssetViewSet
from postern.apps.assets.domains.api import DomainViewSet
from postern.apps.assets.favorites.api import FavoriteAssetViewSet
from postern.apps.assets.host_keys.api import HostKeyViewSet
from postern.apps.assets.labels.api import LabelViewSet
from postern.apps.assets.nodes.api.views import NodeViewSet
from postern.apps.assets.platforms.api import PlatformViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("assets/assets", AssetViewSet, "asset")
router.register("assets/platforms", PlatformViewSet, "platform")
router.register("assets/labels", LabelViewSet, "label")
router.register("assets/domains", DomainViewSet, "domain")
router.register("assets/nodes", NodeViewSet, "node")
router.register("assets/host-keys", HostKeyViewSet, "host-key")
router.register("assets/favorite-assets", FavoriteAssetViewSet, "favorite-asset")

urlpatterns = router.urls
