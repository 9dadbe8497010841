"""URLs of storages."""

from postern.apps.sessions.storages.api.views import CommandStorageViewSet, ReplayStorageViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("terminal/replay-storages", ReplayStorageViewSet, "replay-storage")
router.register("terminal/command-storages", CommandStorageViewSet, "command-storage")

urlpatterns = router.urls
