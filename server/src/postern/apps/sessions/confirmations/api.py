"""The internal API of confirmations. It only translates between HTTP and the actions."""

from typing import Final

from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request

from postern.apps.sessions.confirmations import actions
from postern.apps.sessions.terminals.api.internal import InternalView
from postern.contracts import access, command_control

#: Held lines that a proxy may ask about in a minute, and how often it may look for the answers.
_MOST_QUESTIONS: Final = 3_000
_MOST_LOOKS: Final = 30_000


class ConfirmCommandView(InternalView):
    most_a_minute = _MOST_QUESTIONS

    def post(self, request: Request) -> HttpResponse:
        wanted = self.message(request, command_control.ConfirmCommand)
        return self.answer(actions.ask(terminal=self.terminal, request=wanted))


class ConfirmationStateView(InternalView):
    most_a_minute = _MOST_LOOKS

    def post(self, request: Request) -> HttpResponse:
        query = self.message(request, command_control.ConfirmationQuery)
        return self.answer(actions.state(terminal=self.terminal, query=query))


class WithdrawConfirmationView(InternalView):
    most_a_minute = _MOST_QUESTIONS

    def post(self, request: Request) -> HttpResponse:
        query = self.message(request, command_control.ConfirmationQuery)
        return self.answer(actions.withdraw(terminal=self.terminal, query=query))


_PREFIX: Final = access.INTERNAL_PREFIX.lstrip("/")

internal_urlpatterns = [
    path(_PREFIX + command_control.CONFIRM_COMMAND, ConfirmCommandView.as_view()),
    path(_PREFIX + command_control.CONFIRMATION_STATE, ConfirmationStateView.as_view()),
    path(_PREFIX + command_control.WITHDRAW_CONFIRMATION, WithdrawConfirmationView.as_view()),
]
