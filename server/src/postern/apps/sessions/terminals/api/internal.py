"""The internal API: the messages of `postern.contracts` over HTTP, for registered proxies only. Translation, no rules."""

import ipaddress
from collections.abc import Iterator
from typing import Any, ClassVar, Final, TypeVar
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.preferences import facade as preferences
from postern.apps.sessions import queries
from postern.apps.sessions.body_limits import EVENTS_BYTES, PART_BYTES
from postern.apps.sessions.models import Terminal
from postern.apps.sessions.recordings.actions import upload as recordings
from postern.apps.sessions.recordings.storage import replay_storage
from postern.apps.sessions.reports import actions as reports
from postern.apps.sessions.sessions import policy
from postern.apps.sessions.sessions.actions import opening, redeeming, release
from postern.apps.sessions.sessions.errors import MalformedMessage, MessageTooLarge
from postern.apps.sessions.terminals import proxy_pace
from postern.apps.sessions.terminals.actions import registrations, terminals
from postern.apps.sessions.terminals.api.authentication import (
    AnyTerminalAuthentication,
    Component,
    HeartbeatAuthentication,
    TerminalAuthentication,
)
from postern.apps.sessions.visitors import actions as visitors
from postern.contracts import access, events
from postern.contracts import terminals as terminal_messages
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

Message = TypeVar("Message", bound=msgspec.Struct)

_SMALL_BYTES: Final = 256 * 1024
#: What a proxy may ask to be answered in; anything else is answered in the installation's language.
_LANGUAGES: Final = frozenset(code for code, _name in settings.LANGUAGES)
MAX_NAME_CHARS: Final = 256
#: What a proxy may ask within a minute, each of its own: sessions opened, lists and offered keys, tickets reported, renewals.
MOST_OPENINGS: Final = 3_000
MOST_QUESTIONS: Final = 12_000
MOST_REPORTS: Final = 1_200
MOST_RENEWALS: Final = 10
_MAX_RECORDING_BYTES: Final = 64 * 1024**3
_CHUNK_BYTES: Final = 256 * 1024


class InternalView(PosternView):
    """Base of the internal API: a terminal's credential, no organization, raw bodies."""

    rights = Right.TERMINAL
    always_root = True
    gates_apply = False
    max_body_bytes: ClassVar[int] = _SMALL_BYTES
    #: Requests of one proxy within a minute; None: as many as it likes.
    most_a_minute: ClassVar[int | None] = None
    #: At least so many for each credential that the settings allow the proxy in a minute.
    credentials_factor: ClassVar[int] = 0

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises Throttled beyond `most_a_minute`; the first time in a minute that is an alarm."""
        super().initial(request, *args, **kwargs)
        if self.most_a_minute is None or not isinstance(request.user, Component):  # a method that is refused
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
        """What has shown its credential."""
        component = self.request.user
        if not isinstance(component, Component):
            raise TypeError("a view of the internal API was reached by something that is no component")
        return component

    @property
    def terminal(self) -> Terminal:
        """The proxy that asks."""
        if self.component.terminal is None:
            raise TypeError("a view of the internal API was reached without a terminal")
        return self.component.terminal

    def message(self, request: Request, kind: type[Message]) -> Message:
        """The body as a message. Raises MessageTooLarge, MalformedMessage (the error names the field, never a value)."""
        body = request._request.read(self.max_body_bytes + 1)  # noqa: SLF001 - the raw body: no parser, own limit
        if len(body) > self.max_body_bytes:
            raise MessageTooLarge(_("The message is too large."))
        try:
            message = msgspec.json.decode(body, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise MalformedMessage(str(error)[:300]) from error
        language = getattr(message, "language", "")
        if language in _LANGUAGES:
            translation.activate(language)  # until the next request: what the answer says is read by a person
        address = getattr(message, "remote_addr", None)
        if address is not None and not _is_address(address):
            raise MalformedMessage("Expected an IP address - at `$.remote_addr`")
        return message

    def answer(self, message: msgspec.Struct, status: int = 200) -> HttpResponse:
        """A message as the body."""
        return HttpResponse(msgspec.json.encode(message), content_type="application/json", status=status)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


class SignInView(InternalView):
    """Base of the ways to sign in: how the SSH user name was meant is told with the ticket, not before."""

    def signed_in(self, answer: access.SignInAnswer, login: access.LoginNameAnswer) -> HttpResponse:
        return self.answer(msgspec.structs.replace(answer, login=login) if answer.user is not None else answer)


class SignInPasswordView(SignInView):
    def post(self, request: Request) -> HttpResponse:
        asked = self.message(request, access.SignInPassword)
        login = queries.read_login_name(asked.username)
        answer = authn.check_password(
            username=login.username[:MAX_NAME_CHARS],
            password=asked.password,
            attempt=asked.attempt,
            remote_addr=asked.remote_addr[:MAX_NAME_CHARS],
            login_from=asked.login_from,
            proxy_id=self.terminal.pk,
        )
        return self.signed_in(answer, login)


class PublicKeyOfferView(InternalView):
    """Offers come from anybody who reaches the proxy: bounded for each address there, not for all of them together."""

    def post(self, request: Request) -> HttpResponse:
        offer = self.message(request, access.PublicKeyOffer)
        username = queries.read_login_name(offer.username).username
        acceptable = authn.public_key_acceptable(username=username[:MAX_NAME_CHARS], public_key=offer.public_key)
        return self.answer(access.PublicKeyAnswer(acceptable=acceptable))


class SignInPublicKeyView(SignInView):
    def post(self, request: Request) -> HttpResponse:
        shown = self.message(request, access.SignInPublicKey)
        try:
            proof = authn.read_proof(shown.signed, shown.signature)
        except authn.ProofProblem as error:
            raise MalformedMessage(f"not a signed request to sign in: {error} - at `$.signed`") from error
        login = queries.read_login_name(proof.username)
        answer = authn.sign_in_with_public_key(
            username=login.username[:MAX_NAME_CHARS],
            proof=proof,
            attempt=shown.attempt[:MAX_NAME_CHARS],
            remote_addr=shown.remote_addr[:MAX_NAME_CHARS],
            login_from=shown.login_from,
            proxy_id=self.terminal.pk,
        )
        return self.signed_in(answer, login)


class SignInCodeView(SignInView):
    def post(self, request: Request) -> HttpResponse:
        shown = self.message(request, access.SignInCode)
        answer = authn.sign_in_with_code(
            token=shown.token[:MAX_NAME_CHARS],
            code=shown.code[:MAX_NAME_CHARS],
            attempt=shown.attempt,
            remote_addr=shown.remote_addr[:MAX_NAME_CHARS],
            proxy_id=self.terminal.pk,
        )
        return self.signed_in(answer, queries.read_login_name(shown.username))


class TicketsView(InternalView):
    """Which connections are open still, and which were closed."""

    most_a_minute = MOST_REPORTS

    def post(self, request: Request) -> HttpResponse:
        told = self.message(request, access.TicketReport)
        if max(len(told.open), len(told.closed)) > access.MAX_TICKETS:
            raise MalformedMessage(f"a report names at most {access.MAX_TICKETS} tickets of each kind")
        void = visitors.report(terminal=self.terminal, opened=told.open, closed=told.closed)
        return self.answer(access.TicketReportAnswer(void=void))


class ReachableAssetsView(InternalView):
    most_a_minute = MOST_QUESTIONS

    def post(self, request: Request) -> HttpResponse:
        query = self.message(request, access.ReachableQuery)
        visitor = visitors.visitor_of(
            terminal=self.terminal, ticket=query.ticket, remote_addr=query.remote_addr, wanted="assets"
        )
        if isinstance(visitor, access.Denial):
            return self.answer(access.ReachablePage(count=0, assets=(), denial=visitor))
        return self.answer(
            perms.reachable_assets(
                user_id=visitor.identity.id,
                search=query.search[:256],
                protocol=query.protocol,
                offset=max(query.offset, 0),
                limit=min(max(query.limit, 0), 500),
                order_by=preferences.get_str("TERMINAL_ASSET_LIST_SORT_BY"),
            )
        )


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


class HostKeyView(InternalView):
    most_a_minute = MOST_OPENINGS
    credentials_factor = 5

    def post(self, request: Request) -> HttpResponse:
        answer = release.judge_host_key(terminal=self.terminal, request=self.message(request, access.HostKeySeen))
        if answer is None:
            raise MalformedMessage(_("No session that this terminal is opening has that target."))
        return self.answer(answer)


class EventsView(InternalView):
    max_body_bytes = EVENTS_BYTES

    def post(self, request: Request) -> HttpResponse:
        batch = self.message(request, events.EventBatch)
        if len(batch.events) > reports.MAX_EVENTS:
            raise MalformedMessage(f"a batch holds at most {reports.MAX_EVENTS} events")
        return self.answer(reports.store_events(terminal=self.terminal, batch=batch))


class HeartbeatView(InternalView):
    def get_authenticators(self) -> list[BaseAuthentication]:
        return [HeartbeatAuthentication()]

    def post(self, request: Request) -> HttpResponse:
        heartbeat = self.message(request, terminal_messages.Heartbeat)
        return self.answer(
            terminals.beat(
                terminal=self.terminal,
                heartbeat=heartbeat,
                remote_addr=self.actor.remote_addr,
                secret_hash=self.component.secret_hash,
            )
        )


class RegistrationStateView(InternalView):
    """All that a proxy may do before it is accepted: ask whether it is."""

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [AnyTerminalAuthentication()]

    def get(self, request: Request) -> HttpResponse:
        del request
        return self.answer(terminal_messages.RegistrationAnswer(state=policy.registration_state(self.terminal)))


class RenewCredentialView(InternalView):
    """The new credential of a proxy that was told to fetch one."""

    most_a_minute = MOST_RENEWALS

    def post(self, request: Request) -> HttpResponse:
        asked = self.message(request, terminal_messages.CredentialRenewalRequest)
        secret = registrations.renew(actor=self.actor, terminal=self.terminal, boot_id=asked.boot_id)
        return self.answer(terminal_messages.RenewedCredential(secret=secret.reveal()))


class UploadState(msgspec.Struct, frozen=True, kw_only=True):
    """How far an upload is; `stored`: complete, checked, counts."""

    received: int
    stored: bool


class RecordingContentView(InternalView):
    """`PUT` one part of a recording, `GET` how far its upload is."""

    def get(self, request: Request, session_id: UUID) -> HttpResponse:
        del request
        found = recordings.received(terminal=self.terminal, session_id=session_id, storage=replay_storage())
        return self.answer(UploadState(received=found.received, stored=found.stored))

    def put(self, request: Request, session_id: UUID) -> HttpResponse:
        part = policy.parse_content_range(request.headers.get("Content-Range", ""), max_total=_MAX_RECORDING_BYTES)
        if part is None or part.size > PART_BYTES:
            raise MalformedMessage("Content-Range must be `bytes first-last/total` of at most 8 MiB")
        found = recordings.receive_part(
            terminal=self.terminal,
            session_id=session_id,
            part=part,
            chunks=_chunks(request, part.size),
            storage=replay_storage(),
        )
        return self.answer(UploadState(received=found.received, stored=found.stored))


def _chunks(request: Request, size: int) -> Iterator[bytes]:
    """Exactly `size` bytes of the body. Raises MalformedMessage when it is shorter or longer."""
    left = size
    while left:
        chunk = request._request.read(min(left, _CHUNK_BYTES))  # noqa: SLF001 - the raw body: no parser, own limit
        if not chunk:
            raise MalformedMessage("the body is shorter than its Content-Range")
        left -= len(chunk)
        yield chunk
    if request._request.read(1):  # noqa: SLF001 - as above
        raise MalformedMessage("the body is longer than its Content-Range")
