"""The internal API of sessions, with which proxies open them. It only translates between HTTP and the actions."""

from typing import Final

from django.http import HttpResponse
from django.utils.translation import gettext as _
from rest_framework.request import Request

from postern.apps.sessions.sessions.actions import opening, redeeming, release
from postern.apps.sessions.terminals.api.internal import InternalView
from postern.apps.sessions.terminals.errors import MalformedMessage
from postern.contracts import access

#: Sessions that a proxy may open per minute; the same limit applies to each step of opening.
MOST_OPENINGS: Final = 3_000
#: Machines that a session passes at most: the gateways of four stages, and the target.
STEPS_ON_THE_WAY: Final = 5


class AuthorizeView(InternalView):
    most_a_minute = MOST_OPENINGS
    credentials_factor = 5

    def post(self, request: Request) -> HttpResponse:
        wish = self.message(request, access.AuthorizeRequest)
        return self.answer(opening.authorize(terminal=self.terminal, request=wish))


class RedeemTokenView(InternalView):
    most_a_minute = MOST_OPENINGS
    credentials_factor = 5

    def post(self, request: Request) -> HttpResponse:
        token = self.message(request, access.RedeemToken)
        return self.answer(redeeming.redeem(terminal=self.terminal, request=token))


class CredentialView(InternalView):
    most_a_minute = MOST_OPENINGS
    credentials_factor = 5

    def post(self, request: Request) -> HttpResponse:
        wanted = self.message(request, access.CredentialRequest)
        return self.answer(release.release_credential(terminal=self.terminal, request=wanted))


class GatewayCredentialView(InternalView):
    most_a_minute = MOST_OPENINGS * STEPS_ON_THE_WAY
    credentials_factor = 5 * STEPS_ON_THE_WAY

    def post(self, request: Request) -> HttpResponse:
        wanted = self.message(request, access.GatewayCredentialRequest)
        return self.answer(release.release_gateway_credential(terminal=self.terminal, request=wanted))


class HostKeyView(InternalView):
    most_a_minute = MOST_OPENINGS * STEPS_ON_THE_WAY
    credentials_factor = 5 * STEPS_ON_THE_WAY

    def post(self, request: Request) -> HttpResponse:
        answer = release.judge_host_key(terminal=self.terminal, request=self.message(request, access.HostKeySeen))
        if answer is None:
            raise MalformedMessage(_("No session that this terminal is opening has that target."))
        return self.answer(answer)
