"""`WinrmConnection`: from an open wire to a signed-in exchange of messages."""

import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from cryptography.x509 import Certificate

from postern.contracts.access import Credential
from postern.contracts.runner import HostResult, Remote, RunOnHost
from postern.kernel.log import printable
from postern.kernel.secret import Secret
from postern.kernel.sentences import Value
from postern.proxies.core.targets.wires import Wire
from postern.proxies.core.texts import Text
from postern.proxies.runner.program_end import EndedEarly, ProgramEnd
from postern.proxies.runner.winrm import envelopes, sealing
from postern.proxies.runner.winrm.byte_streams import (
    READ_BYTES,
    ByteStream,
    PlainStream,
    TlsStream,
    end_point_binding,
    key_line,
)
from postern.proxies.runner.winrm.http import HttpConnection, HttpError, Reply

_PATH: Final = "/wsman"
_VENDOR: Final = "Microsoft"
_OK: Final = 200
_UNAUTHORIZED: Final = 401
_UNAVAILABLE: Final = 503
_MAX_DETAIL: Final = 200
#: How long an answer may take. Beyond the time that a host waits for output before it answers without any.
_ANSWER_S: Final = 30.0

#: Judges a key, one line in OpenSSH format. Raises if it is refused.
ApproveKey = Callable[[str], Awaitable[None]]
FetchSecret = Callable[[], Awaitable[Credential]]


class WinrmConnection:
    """Make it with `open`, which also finds out who answers. Methods raise `EndedEarly` unless noted."""

    def __init__(self, wish: RunOnHost, http: HttpConnection, binding: bytes | None) -> None:
        self._wish = wish
        self._http = http
        self._binding = binding
        self._ntlm: sealing.NtlmSignIn | None = None
        self._basic = ""
        #: The ways to sign in that the host has named so far.
        self._methods: list[str] = []

    @classmethod
    async def open(cls, wire: Wire, wish: RunOnHost, approve: ApproveKey) -> "WinrmConnection":
        """Speak TLS if wanted, have the key judged, and ask who is there. Raises also OSError and what `approve` raises."""
        stream: ByteStream = PlainStream(*await wire.streams(limit=READ_BYTES))
        binding = None
        try:
            if wish.over is Remote.WINRM_TLS:
                tls = TlsStream(stream, wish.target.host)
                stream = tls
                certificate = await _certificate(tls, wish)
                await approve(key_line(certificate))
                binding = end_point_binding(certificate)
            connection = cls(wish, HttpConnection(stream, _host(wish), _PATH), binding)
            await connection._identify()
        except ValueError as error:
            stream.close()
            raise _no_winrm(wish, str(error)) from error
        except BaseException:
            stream.close()
            raise
        return connection

    @property
    def url(self) -> str:
        """The address of the host as a URL."""
        scheme = "https" if self._wish.over is Remote.WINRM_TLS else "http"
        return f"{scheme}://{_host(self._wish)}{_PATH}"

    def close(self) -> None:
        """Close the connection at once and forget the keys."""
        self._ntlm = None
        self._basic = ""
        self._http.close()

    async def sign_in(self, fetch: FetchSecret) -> None:
        """Sign in with the account's password. Raises also OSError and what `fetch` raises."""
        credential = await fetch()
        password = Secret(credential.password or "")
        if not password:
            raise self._early(HostResult.CREDENTIAL_REFUSED, Text.WINRM_NEEDS_PASSWORD)
        if self._methods and "negotiate" not in self._methods:
            self._use_basic(password)
        else:
            await self._sign_in_with_ntlm(password)
        # The first message shows whether the host takes the password.
        await self.ask(envelopes.IDENTIFY)

    async def ask(self, message: bytes, *, timeout_s: float = _ANSWER_S) -> envelopes.Answer:
        """Send a message and return the answer, which may be a fault. Raises also OSError."""
        if self._ntlm is not None and self._wish.over is Remote.WINRM:
            content_type, body = self._ntlm.sealed(message)
        else:
            content_type, body = sealing.plain(message)
        headers = {"Content-Type": content_type}
        if self._basic:
            headers["Authorization"] = self._basic
        reply = await self._post(headers, body, timeout_s=timeout_s)
        if reply.status == _UNAUTHORIZED:
            raise self._refused()
        try:
            if self._ntlm is not None and self._wish.over is Remote.WINRM and reply.body:
                return envelopes.read(self._ntlm.opened(reply))
            return envelopes.read(reply.body)
        except (HttpError, envelopes.BadAnswer) as error:
            raise self._fault(f"{error} (HTTP {reply.status})") from error

    async def _identify(self) -> None:
        """Ask who is there, without signing in."""
        content_type, body = sealing.plain(envelopes.IDENTIFY)
        try:
            reply = await self._http.post(
                {"Content-Type": content_type, "WSMANIDENTIFY": "unauthenticated"}, body, timeout_s=_ANSWER_S
            )
        except (HttpError, OSError) as error:
            raise _no_winrm(self._wish, _words(str(error)) or type(error).__name__) from error
        self._methods = sealing.offered(reply)
        if reply.status == _UNAUTHORIZED and self._methods:
            return  # it may ask for a sign-in before it says anything
        answer = None
        with contextlib.suppress(envelopes.BadAnswer):
            answer = envelopes.read(reply.body)
        if reply.status != _OK or answer is None or not answer.has("IdentifyResponse"):
            raise _no_winrm(self._wish, f"HTTP {reply.status}")
        vendor = _words(answer.text("ProductVendor"))
        if _VENDOR not in vendor:
            text = Text.NOT_WINDOWS.sentence(self._wish.language, host=self._wish.target.host, shown=vendor)
            raise EndedEarly(ProgramEnd(result=HostResult.NOT_WINDOWS, message=text, detail=vendor))

    async def _sign_in_with_ntlm(self, password: Secret) -> None:
        try:
            ntlm = sealing.NtlmSignIn(self._wish.login_name, password, self._wish.target.host, self._binding)
            reply = await self._post({"Authorization": ntlm.token()}, b"")
            challenge = sealing.challenge_of(reply)
            if challenge is None:
                self._methods = sealing.offered(reply)
                if self._methods and "negotiate" not in self._methods:
                    self._use_basic(password)
                    return
                raise self._fault(f"no challenge (HTTP {reply.status})")
            reply = await self._post({"Authorization": ntlm.token(challenge)}, b"")
        except sealing.SignInRefused as error:
            raise self._refused(str(error)) from error
        if reply.status == _UNAUTHORIZED:
            raise self._refused()
        if self._wish.over is Remote.WINRM and not ntlm.can_seal:
            raise self._fault("the host does not seal messages")
        self._ntlm = ntlm

    def _use_basic(self, password: Secret) -> None:
        if self._wish.over is not Remote.WINRM_TLS or "basic" not in self._methods:
            methods = _words(", ".join(self._methods))
            raise self._early(HostResult.CREDENTIAL_REFUSED, Text.WINRM_NO_METHOD, methods=methods)
        self._basic = sealing.basic(self._wish.login_name, password)

    async def _post(self, headers: dict[str, str], body: bytes, *, timeout_s: float = _ANSWER_S) -> Reply:
        if not self._http.is_open:
            raise ConnectionResetError("the host closed the connection")
        try:
            reply = await self._http.post(headers, body, timeout_s=timeout_s)
        except HttpError as error:
            raise ConnectionResetError(str(error)) from error
        if reply.status == _UNAVAILABLE:
            raise self._fault(f"HTTP {reply.status}")
        return reply

    def _refused(self, detail: str = "") -> EndedEarly:
        return self._early(HostResult.CREDENTIAL_REFUSED, Text.WINRM_REFUSED, detail=detail)

    def _fault(self, detail: str) -> EndedEarly:
        return self._early(HostResult.NO_WINRM, Text.WINRM_FAULT, detail=detail)

    def _early(self, result: HostResult, text: Text, *, detail: str = "", **more: Value) -> EndedEarly:
        wish = self._wish
        message = text.sentence(wish.language, host=wish.target.host, login=wish.login_name, detail=detail, **more)
        return EndedEarly(ProgramEnd(result=result, message=message, detail=detail))


async def _certificate(tls: TlsStream, wish: RunOnHost) -> Certificate:
    try:
        return await tls.handshake()
    except OSError as error:
        raise _no_winrm(wish, _words(str(error))) from error


def _no_winrm(wish: RunOnHost, detail: str) -> EndedEarly:
    where: dict[str, Value] = {"host": wish.target.host, "port": wish.target.port}
    message = Text.WINRM_NO_ANSWER.sentence(wish.language, **where, detail=detail)
    return EndedEarly(ProgramEnd(result=HostResult.NO_WINRM, message=message, detail=detail))


def _words(text: str) -> str:
    return printable(text.strip())[:_MAX_DETAIL]


def _host(wish: RunOnHost) -> str:
    host = wish.target.host
    return f"{f'[{host}]' if ':' in host else host}:{wish.target.port}"
