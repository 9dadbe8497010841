"""URLs of sessions: below /api/v1/, and the internal URLs for proxies."""

from typing import Final

from django.urls import path

from postern.apps.sessions.sessions.api import internal
from postern.apps.sessions.sessions.api.holds import HoldViewSet
from postern.apps.sessions.sessions.api.orders import OrderViewSet
from postern.apps.sessions.sessions.api.recent import RecentAssetsView
from postern.apps.sessions.sessions.api.sessions import (
    KillSessionView,
    LockSessionView,
    SessionViewSet,
    UnlockSessionView,
)
from postern.apps.sessions.sessions.api.tokens import ConnectionTokenView
from postern.contracts import access
from postern.foundation.rest.viewsets import ResourceRouter

_PREFIX: Final = access.INTERNAL_PREFIX.lstrip("/")

router = ResourceRouter()
router.register("terminal/sessions", SessionViewSet, "session")
router.register("terminal/holds", HoldViewSet, "session-hold")
router.register("terminal/tasks", OrderViewSet, "terminal-task")

urlpatterns = [
    path("terminal/tasks/kill-session/", KillSessionView.as_view()),
    path("terminal/tasks/lock-session/", LockSessionView.as_view()),
    path("terminal/tasks/unlock-session/", UnlockSessionView.as_view()),
    path("authentication/connection-token/", ConnectionTokenView.as_view()),
    path("terminal/recent-assets/", RecentAssetsView.as_view()),
    path("users/connection-token/", ConnectionTokenView.as_view()),
    *router.urls,
]

internal_urlpatterns = [
    path(_PREFIX + access.AUTHORIZE, internal.AuthorizeView.as_view()),
    path(_PREFIX + access.REDEEM_TOKEN, internal.RedeemTokenView.as_view()),
    path(_PREFIX + access.CREDENTIAL, internal.CredentialView.as_view()),
    path(_PREFIX + access.GATEWAY_CREDENTIAL, internal.GatewayCredentialView.as_view()),
    path(_PREFIX + access.HOST_KEY, internal.HostKeyView.as_view()),
]
