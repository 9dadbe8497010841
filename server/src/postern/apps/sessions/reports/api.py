"""The internal API of reports. It only translates between HTTP and the actions."""

from typing import Final

from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request

from postern.apps.sessions.body_limits import EVENTS_BYTES
from postern.apps.sessions.reports import actions
from postern.apps.sessions.terminals.api.internal import InternalView
from postern.apps.sessions.terminals.errors import MalformedMessage
from postern.contracts import access, events


class EventsView(InternalView):
    max_body_bytes = EVENTS_BYTES

    def post(self, request: Request) -> HttpResponse:
        batch = self.message(request, events.EventBatch)
        if len(batch.events) > actions.MAX_EVENTS:
            raise MalformedMessage(f"a batch can contain at most {actions.MAX_EVENTS} events")
        return self.answer(actions.store_events(terminal=self.terminal, batch=batch))


_PREFIX: Final = access.INTERNAL_PREFIX.lstrip("/")

internal_urlpatterns = [
    path(_PREFIX + events.SESSION_EVENTS, EventsView.as_view()),
]
