"""The internal API of heartbeats. It only translates between HTTP and the actions."""

from typing import Final

from django.http import HttpResponse
from django.urls import path
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from postern.apps.sessions.heartbeats.actions import beat
from postern.apps.sessions.terminals.api.authentication import HeartbeatAuthentication
from postern.apps.sessions.terminals.api.internal import InternalView
from postern.contracts import access
from postern.contracts import terminals as terminal_messages


class HeartbeatView(InternalView):
    def get_authenticators(self) -> list[BaseAuthentication]:
        return [HeartbeatAuthentication()]

    def post(self, request: Request) -> HttpResponse:
        heartbeat = self.message(request, terminal_messages.Heartbeat)
        return self.answer(
            beat(
                terminal=self.terminal,
                heartbeat=heartbeat,
                remote_addr=self.actor.remote_addr,
                secret_hash=self.component.secret_hash,
            )
        )


_PREFIX: Final = access.INTERNAL_PREFIX.lstrip("/")

internal_urlpatterns = [
    path(_PREFIX + terminal_messages.HEARTBEAT, HeartbeatView.as_view()),
]
