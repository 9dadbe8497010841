"""URLs of terminals: below /api/v1/, and the internal URLs for proxies."""

from typing import Final

from django.urls import path

from postern.apps.sessions.terminals.api import internal
from postern.apps.sessions.terminals.api.service_accounts import AccountRegistrationView
from postern.apps.sessions.terminals.api.ssh_address import SshAddressView
from postern.apps.sessions.terminals.api.terminals import ComponentMetricsView, RegistrationView, TerminalViewSet
from postern.contracts import access, terminals
from postern.foundation.rest.viewsets import ResourceRouter

_PREFIX: Final = access.INTERNAL_PREFIX.lstrip("/")

router = ResourceRouter()
router.register("terminal/terminals", TerminalViewSet, "terminal")

urlpatterns = [
    path("terminal/terminal-registrations/", RegistrationView.as_view()),
    path("users/service-account-registrations/", AccountRegistrationView.as_view()),
    path("terminal/ssh-address/", SshAddressView.as_view()),
    path("terminal/components/metrics/", ComponentMetricsView.as_view()),
    *router.urls,
]

internal_urlpatterns = [
    path(_PREFIX + terminals.REGISTRATION_STATE, internal.RegistrationStateView.as_view()),
    path(_PREFIX + terminals.RENEW_CREDENTIAL, internal.RenewCredentialView.as_view()),
]
