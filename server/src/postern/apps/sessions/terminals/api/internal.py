"""The internal API: the messages of `postern.contracts` over HTTP, for registered proxies only.

It only translates between HTTP and the actions.
"""

import ipaddress
from typing import Any, ClassVar, Final, TypeVar

import msgspec
from django.conf import settings
from django.http import HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from postern.apps.sessions.terminals import policy, proxy_pace, queries
from postern.apps.sessions.terminals.actions import registrations
from postern.apps.sessions.terminals.api.authentication import (
    AnyTerminalAuthentication,
    Component,
    TerminalAuthentication,
)
from postern.apps.sessions.terminals.errors import MalformedMessage, MessageTooLarge
from postern.apps.sessions.terminals.models import Terminal
from postern.contracts import terminals as terminal_messages
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

Message = TypeVar("Message", bound=msgspec.Struct)

_SMALL_BYTES: Final = 256 * 1024
#: Languages that a proxy may request; for any other, the response uses the installation's language.
_LANGUAGES: Final = frozenset(code for code, _name in settings.LANGUAGES)
#: Credential renewals that a proxy may request per minute.
MOST_RENEWALS: Final = 10


class InternalView(PosternView):
    """Base of the internal API: the credential of a terminal, no organization, raw bodies."""

    rights = Right.TERMINAL
    always_root = True
    gates_apply = False
    max_body_bytes: ClassVar[int] = _SMALL_BYTES
    #: Requests of one proxy per minute; None: unlimited.
    most_a_minute: ClassVar[int | None] = None
    #: If set, the limit is at least this many requests per credential that the settings allow the proxy in a minute.
    credentials_factor: ClassVar[int] = 0

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise Throttled beyond `most_a_minute`; the first time within a minute also raises an alarm."""
        super().initial(request, *args, **kwargs)
        if self.most_a_minute is None or not isinstance(request.user, Component):  # a refused method
            return
        question = type(self).__name__
        asked = proxy_pace.asked(self.terminal.pk, question)
        if asked <= self.most_a_minute:
            return
        most = max(self.most_a_minute, self.credentials_factor * queries.credentials_a_minute())
        if asked == most + 1:
            registrations.tell_of_haste(terminal=self.terminal, question=question)
        if asked > most:
            raise Throttled(proxy_pace.WINDOW_S)

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [TerminalAuthentication()]

    @property
    def component(self) -> Component:
        """The authenticated component."""
        component = self.request.user
        if not isinstance(component, Component):
            raise TypeError("a view of the internal API was called by a caller that is not a component")
        return component

    @property
    def terminal(self) -> Terminal:
        """The calling proxy."""
        if self.component.terminal is None:
            raise TypeError("a view of the internal API was called without a terminal")
        return self.component.terminal

    def message(self, request: Request, kind: type[Message]) -> Message:
        """The body as a message.

        Raises MessageTooLarge, MalformedMessage (the error names the field, never a value).
        """
        body = request._request.read(self.max_body_bytes + 1)  # noqa: SLF001 - the raw body: no parser, own limit
        if len(body) > self.max_body_bytes:
            raise MessageTooLarge(_("The message is too large."))
        try:
            message = msgspec.json.decode(body, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise MalformedMessage(str(error)[:300]) from error
        language = getattr(message, "language", "")
        if language in _LANGUAGES:
            # stays active until the next request, because a user reads the response's texts
            translation.activate(language)
        address = getattr(message, "remote_addr", None)
        if address is not None and not _is_address(address):
            raise MalformedMessage("Expected an IP address - at `$.remote_addr`")
        return message

    def answer(self, message: msgspec.Struct, status: int = 200) -> HttpResponse:
        """Encode a message as the response body."""
        return HttpResponse(msgspec.json.encode(message), content_type="application/json", status=status)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


class RegistrationStateView(InternalView):
    """The only request that a proxy may make before it is accepted: ask whether it is."""

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [AnyTerminalAuthentication()]

    def get(self, request: Request) -> HttpResponse:
        del request
        return self.answer(terminal_messages.RegistrationAnswer(state=policy.registration_state(self.terminal)))


class RenewCredentialView(InternalView):
    """The new credential of a proxy that was ordered to renew it."""

    most_a_minute = MOST_RENEWALS

    def post(self, request: Request) -> HttpResponse:
        asked = self.message(request, terminal_messages.CredentialRenewalRequest)
        secret = registrations.renew(actor=self.actor, terminal=self.terminal, boot_id=asked.boot_id)
        return self.answer(terminal_messages.RenewedCredential(secret=secret.reveal()))
