"""URLs of sessions: the public API below /api/v1/, the internal one for proxies beside it."""

from django.urls import path

from postern.apps.sessions.sessions.api.sessions import (
    CommandViewSet,
    FileTransferViewSet,
    KillSessionView,
    SessionViewSet,
)
from postern.apps.sessions.sessions.api.tokens import ConnectionTokenView
from postern.apps.sessions.terminals.api import internal
from postern.apps.sessions.terminals.api.ssh_address import SshAddressView
from postern.apps.sessions.terminals.api.terminals import (
    ComponentMetricsView,
    OrderViewSet,
    RegistrationView,
    TerminalViewSet,
)
from postern.apps.sessions.viewings import api as replays
from postern.contracts import access, events, terminals
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("terminal/sessions", SessionViewSet, "session")
router.register("terminal/commands", CommandViewSet, "command")
router.register("terminal/terminals", TerminalViewSet, "terminal")
router.register("terminal/tasks", OrderViewSet, "terminal-task")
router.register("audits/ftp-logs", FileTransferViewSet, "ftp-log")

_replay = "terminal/sessions/<str:pk>/replay/"

urlpatterns = [
    path("terminal/terminal-registrations/", RegistrationView.as_view()),
    path("terminal/tasks/kill-session/", KillSessionView.as_view()),
    path("terminal/ssh-address/", SshAddressView.as_view()),
    path("terminal/components/metrics/", ComponentMetricsView.as_view()),
    path("authentication/connection-token/", ConnectionTokenView.as_view()),
    path("users/connection-token/", ConnectionTokenView.as_view()),
    path(_replay, replays.ReplayView.as_view()),
    path(f"{_replay}content/", replays.ReplayContentView.as_view()),
    path(f"{_replay}cast/", replays.ReplayCastView.as_view()),
    path(f"{_replay}download/", replays.ReplayDownloadView.as_view()),
    path(f"{_replay}verify/", replays.ReplayVerifyView.as_view()),
    *router.urls,
]

_prefix = access.INTERNAL_PREFIX.lstrip("/")

page_urlpatterns = [
    path(_prefix + access.SIGN_IN_PASSWORD, internal.SignInPasswordView.as_view()),
    path(_prefix + access.PUBLIC_KEY_OFFER, internal.PublicKeyOfferView.as_view()),
    path(_prefix + access.SIGN_IN_PUBLIC_KEY, internal.SignInPublicKeyView.as_view()),
    path(_prefix + access.SIGN_IN_CODE, internal.SignInCodeView.as_view()),
    path(_prefix + access.TICKETS, internal.TicketsView.as_view()),
    path(_prefix + access.REACHABLE_ASSETS, internal.ReachableAssetsView.as_view()),
    path(_prefix + access.AUTHORIZE, internal.AuthorizeView.as_view()),
    path(_prefix + access.REDEEM_TOKEN, internal.RedeemTokenView.as_view()),
    path(_prefix + access.CREDENTIAL, internal.CredentialView.as_view()),
    path(_prefix + access.HOST_KEY, internal.HostKeyView.as_view()),
    path(_prefix + events.SESSION_EVENTS, internal.EventsView.as_view()),
    path(_prefix + terminals.HEARTBEAT, internal.HeartbeatView.as_view()),
    path(_prefix + terminals.REGISTRATION_STATE, internal.RegistrationStateView.as_view()),
    path(_prefix + terminals.RENEW_CREDENTIAL, internal.RenewCredentialView.as_view()),
    path(
        _prefix + events.RECORDING_UPLOAD.replace("{session_id}", "<uuid:session_id>"),
        internal.RecordingContentView.as_view(),
    ),
]
