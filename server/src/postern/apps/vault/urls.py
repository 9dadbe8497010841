"""Routes of the vault, relative to /api/v1/."""

from postern.apps.vault.accounts.api import views as accounts
from postern.apps.vault.accounts.api.views import AccountSecretViewSet, AccountViewSet
from postern.apps.vault.gateways.api import GatewayViewSet
from postern.apps.vault.system_users.api.views import (
    AdminUserViewSet,
    SystemUserAssetViewSet,
    SystemUserNodeViewSet,
    SystemUserUserViewSet,
    SystemUserViewSet,
)
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("assets/system-users", SystemUserViewSet, "system-user")
router.register("assets/admin-users", AdminUserViewSet, "admin-user")
router.register("assets/accounts", AccountViewSet, "account")
router.register("assets/account-secrets", AccountSecretViewSet, "account-secret")
router.register("assets/gateways", GatewayViewSet, "gateway")
router.register("assets/system-users-assets-relations", SystemUserAssetViewSet, "system-user-asset-relation")
router.register("assets/system-users-nodes-relations", SystemUserNodeViewSet, "system-user-node-relation")
router.register("assets/system-users-users-relations", SystemUserUserViewSet, "system-user-user-relation")

urlpatterns = [*accounts.urlpatterns, *router.urls]
