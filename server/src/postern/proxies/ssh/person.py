"""One user's connection: sign-in through the control plane, then session channels.

Nothing is permitted before sign-in.
"""

import base64
import logging
import secrets
from collections.abc import Awaitable, Sequence
from typing import Final, NoReturn

import asyncssh

from postern.contracts.access import (
    ATTEMPT_BYTES,
    AuthorizeRequest,
    LoginNameAnswer,
    PublicKeyOffer,
    ReachablePage,
    ReachableQuery,
    SecondFactor,
    SignInAnswer,
    SignInCode,
    SignInPassword,
    SignInPublicKey,
    UserIdentity,
)
from postern.contracts.enums import DenialCode, LoginFrom, Protocol
from postern.kernel.ssh_keys.fields import FieldReader
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.language import choose_language
from postern.proxies.core.opening.opening import Opening
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.texts import Text
from postern.proxies.ssh.forwarding import FORWARD_WINDOW, Forwards
from postern.proxies.ssh.forwards.pipe import Side
from postern.proxies.ssh.forwards.places import Asked
from postern.proxies.ssh.front import FrontChannel, FrontLink
from postern.proxies.ssh.key_pace import KeyPace
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.person_session import PersonSession, SshOpening
from postern.proxies.ssh.refused_requests import RefusedRequests
from postern.proxies.ssh.sign_in_notices import TOLD_ONCE_TRIED, after_wrong_password, code_explained, notice
from postern.proxies.ssh.target import TargetConnection
from postern.proxies.ssh_connections.transport import PacedTunnelChannel

log = logging.getLogger(__name__)

_WINDOW: Final = 2 * 1024 * 1024
_MAX_PACKET: Final = 32768
_MAX_PASSWORD: Final = 1024
_MAX_CODE: Final = 64


class Person(asyncssh.SSHServer):
    """The owner of one `FrontLink`."""

    def __init__(self, services: CoreServices, limits: SshLimits, pace: KeyPace) -> None:
        self._services = services
        self._limits = limits
        self._pace = pace
        self._link: FrontLink | None = None
        self._username = ""  # as sent by the client
        self._login = LoginNameAnswer(username="")  # the parsed login name; known after sign-in
        self._ticket = ""
        self._passwords_tried = 0
        self._notice_given = False
        self._hint_given = False
        #: Keys offered under a name, and whether each is acceptable. None: not known yet.
        self._keys: dict[tuple[str, bytes], bool | None] = {}
        self._refused = RefusedRequests(self)
        self._forwards = Forwards(limits, self)
        self._has_opened = False
        self._prepared: SshOpening | None = None
        self._second_factor: SecondFactor | None = None
        self._codes_tried = 0
        self._sessions: set[PersonSession] = set()
        self.identity: UserIdentity | None = None
        self.signed_in = False
        self.remote_addr = ""

    # Connection

    @property
    def own_address(self) -> tuple[str, int]:
        """The configured address for users, else the address on which this connection arrived."""
        settings = self._services.settings.current
        if settings.ssh_host:
            return settings.ssh_host, settings.ssh_port
        host, port = self._link.get_extra_info("sockname", ("", 0))[:2] if self._link else ("", 0)
        return str(host).removeprefix("::ffff:"), int(port)

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        if not isinstance(conn, FrontLink):
            raise TypeError("a person comes through a FrontLink")
        self._link = conn
        self.remote_addr = str(conn.get_extra_info("peername", ("",))[0]).removeprefix("::ffff:")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library calls it so
        self._refused.tell_early()
        self._forwards.close()
        if self._prepared is not None:
            self._prepared.abandon()
            self._prepared = None
        self._drop_ticket()
        self._link = None

    def disconnect(self) -> None:
        """Close the connection and all its channels."""
        if self._link is not None:
            self._link.close()

    @property
    def _chosen_language(self) -> str:
        return self.identity.language if self.identity is not None else ""

    @property
    def language(self) -> str:
        """Language without a channel: the user's own after sign-in, else the installation's."""
        return choose_language(self._chosen_language, {}, self._services.settings.current.language)

    # Sign-in

    async def begin_auth(self, username: str) -> bool:
        """Start sign-in for a (new) user name. Factors given under another name no longer count (K27: a sign-in belongs
        to one person).
        """
        self.identity = None
        self._second_factor = None
        self._drop_ticket()
        self._username = username
        return True

    def _drop_ticket(self) -> None:
        """Return the ticket. From the control plane's answer on, it is no longer accepted."""
        if self._ticket:
            self._services.tickets.give_back(self._ticket)
            self._ticket = ""

    @property
    def second_factor_due(self) -> bool:
        """Whether the first factor was right and the code is due. Until then no other method is offered."""
        return self._second_factor is not None

    def password_auth_supported(self) -> bool:
        return self._services.settings.current.password_auth and not self.second_factor_due

    def public_key_auth_supported(self) -> bool:
        return self._services.settings.current.public_key_auth and not self.second_factor_due

    def kbdint_auth_supported(self) -> bool:
        """For the code of the second factor; for a code from the console only where no password is asked for, which takes
        it as well: clients would ask for the code first. Else, once, to say which ways are switched off: after a banner
        everybody whose key is accepted would read it, too.
        """
        return self.second_factor_due or self._asks_for_code or bool(self._notice)

    @property
    def _notice(self) -> str:
        return "" if self._notice_given else notice(self._services.settings.current, self.language)

    @property
    def _asks_for_code(self) -> bool:
        settings = self._services.settings.current
        return settings.code_auth and not settings.password_auth

    def get_kbdint_challenge(
        self,
        username: str,  # noqa: ARG002 - the library calls it so
        lang: str,  # noqa: ARG002 - the library calls it so
        submethods: str,  # noqa: ARG002 - the library calls it so
    ) -> tuple[str, str, str, list[tuple[str, bool]]] | bool:
        """Ask for the code. It is echoed while typed, because it is worthless a minute later. A notice is given and nothing asked."""
        if self._second_factor is None and self._asks_for_code:
            prompt = (Text.CODE_PROMPT.say(self.language), True)
            return "", self._explained(code_explained(self._services.settings.current, self.language)), "", [prompt]
        if self._second_factor is None:
            self._give_notice()
            return False
        language = self._second_factor.language or self.language
        prompt = (Text.MFA_PROMPT.say(language), True)
        return "", self._explained(Text.MFA_EXPLAINED.say(language)), "", [prompt]

    def _explained(self, text: str) -> str:
        """The instruction of a question. OpenSSH escapes all but ASCII in it, but not in a banner."""
        link = self._link
        if text.isascii() or link is None or "OpenSSH" not in str(link.get_extra_info("client_version", "")):
            return text
        self._banner(text)
        return ""

    def _give_notice(self) -> None:
        """Say which ways are switched off. OpenSSH would ask for a password if it was offered nothing at all, so the
        connection ends then.
        """
        text = self._notice
        if text:
            self._notice_given = True
            self._banner(text)
        if not (self.password_auth_supported() or self.public_key_auth_supported()):
            text = notice(self._services.settings.current, "en")  # clients escape other characters here
            raise asyncssh.DisconnectError(asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, text)

    async def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        due = self._second_factor
        if due is None and self._asks_for_code and len(responses) == 1:
            return await self.validate_password(username, responses[0])
        self._codes_tried += 1
        if self._codes_tried > self._limits.auth_tries:
            raise asyncssh.DisconnectError(
                asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, "Too many authentication failures"
            )
        if due is None or len(responses) != 1 or len(responses[0]) > _MAX_CODE:
            return False
        request = SignInCode(
            token=due.token,
            code=responses[0].strip(),
            username=self._username,
            remote_addr=self.remote_addr,
            attempt=secrets.token_hex(ATTEMPT_BYTES),
        )
        try:
            answer = await self._services.plane.sign_in_code(request)
        except (ControlUnavailable, ControlRefused) as error:
            self._control_away(error)
        # the user name has changed meanwhile, so this answer is about another account
        if self._second_factor is not due:
            self._refuse_late(answer)
            return False
        if answer.user is not None:
            self._second_factor = None
        return self._take(answer) and self.identity is not None

    async def validate_password(self, username: str, password: str) -> bool:  # noqa: ARG002 - the library calls it so
        self._passwords_tried += 1
        if self._passwords_tried > self._limits.auth_tries:
            raise asyncssh.DisconnectError(
                asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, "Too many authentication failures"
            )
        if len(password) > _MAX_PASSWORD:
            return False
        request = SignInPassword(
            username=self._username,
            password=password,
            remote_addr=self.remote_addr,
            login_from=LoginFrom.SSH_TERMINAL,
            attempt=secrets.token_hex(ATTEMPT_BYTES),
        )
        try:
            answer = await self._services.plane.sign_in_password(request)
        except (ControlUnavailable, ControlRefused) as error:
            self._control_away(error)
        if answer.denial is not None and answer.denial.code is DenialCode.BAD_CREDENTIALS:
            self._hint()
        return self._take(answer)

    def _hint(self) -> None:
        """Say once how people without a password come in. It must not depend on the name."""
        text = after_wrong_password(self._services.settings.current, self.language)
        if text and not self._hint_given:
            self._hint_given = True
            self._banner(text)

    async def key_offered(self, key: bytes) -> bool:
        """Whether this key, or certificate of a key, would be accepted. The answer lets the client sign, but signs nobody in."""
        offered_key = (self._username, key)
        known = self._keys.get(offered_key)
        if known is not None:  # the client repeats its question
            return known
        if not await self._may_ask(offered_key):
            return False
        request = PublicKeyOffer(username=offered_key[0], public_key=_one_line(key), remote_addr=self.remote_addr)
        try:
            answer = await self._services.plane.public_key_offer(request)
        except (ControlUnavailable, ControlRefused) as error:
            self._control_away(error)
        self._keys[offered_key] = answer.acceptable
        return answer.acceptable

    async def key_proven(self, key: bytes, signed: bytes, signature: bytes) -> bool:
        """Sign in with a key. The client has signed with it, and the control plane verifies the signature itself."""
        if not await self._may_ask((self._username, key)):
            return False
        request = SignInPublicKey(
            signed=signed,
            signature=signature,
            attempt=secrets.token_hex(ATTEMPT_BYTES),
            remote_addr=self.remote_addr,
            login_from=LoginFrom.SSH_TERMINAL,
        )
        try:
            answer = await self._services.plane.sign_in_public_key(request)
        except (ControlUnavailable, ControlRefused) as error:
            self._control_away(error)
        return self._take(answer)

    async def _may_ask(self, offered_key: tuple[str, bytes]) -> bool:
        """Wait for the address's turn, and return whether the connection may offer this key under this name."""
        self._keys.setdefault(offered_key, None)
        if len(self._keys) > self._limits.public_keys:
            return False
        await self._pace.turn(self.remote_addr)
        return True

    def _take(self, answer: SignInAnswer) -> bool:
        """Store the control plane's answer about a factor. Returns whether the factor was right."""
        denial = answer.denial
        if denial is not None:
            self.identity = None
            if denial.code in TOLD_ONCE_TRIED:
                self._banner(denial.message)
            return False
        self.identity = answer.user
        self._drop_ticket()
        self._ticket = answer.ticket
        self._login = answer.login or LoginNameAnswer(username=self._username)
        if answer.second_factor is not None:
            self.identity, self._second_factor = None, answer.second_factor
        return self.identity is not None or self._second_factor is not None

    def _refuse_late(self, answer: SignInAnswer) -> None:
        """Return the ticket of a sign-in that has been abandoned."""
        if answer.ticket:
            self._services.tickets.give_back(answer.ticket)

    def _control_away(self, error: ControlUnavailable | ControlRefused) -> NoReturn:
        """End the connection with its own reason. The control plane gave no decision, so this is not a refusal."""
        log.warning("sign-in from %s: %s", self.remote_addr, error.message)
        self._banner(Text.CONTROL_UNAVAILABLE.say(self.language))
        # Clients escape non-ASCII characters in the reason of a disconnect.
        raise asyncssh.DisconnectError(asyncssh.DISC_SERVICE_NOT_AVAILABLE, Text.CONTROL_UNAVAILABLE.say("en"))

    def _banner(self, text: str) -> None:
        if self._link is not None:
            self._link.send_auth_banner(text + "\r\n")

    def auth_completed(self) -> None:
        """Finish sign-in. A user name with a direct target starts to connect immediately."""
        self.signed_in = self.identity is not None and not self.second_factor_due
        if not self.signed_in:
            self.disconnect()
            return
        self._services.tickets.take(self._ticket, self._ticket_void)
        if self.direct and self._chosen_language:
            # A user who has chosen no language waits for a channel, which brings the client's language.
            self._prepared = self.open(self._login.asset, self._login.system_user, self.language)

    def _ticket_void(self) -> None:
        """Handle a sign-in that was ended elsewhere. Open sessions have their own rules; without any, disconnect."""
        if self.live_session is None:
            self.disconnect()

    # Sessions

    @property
    def direct(self) -> bool:
        """Whether the user name contains the target. Otherwise the menu is shown."""
        return bool(self._login.asset)

    def open(self, asset: str, system_user: str, language: str) -> SshOpening:
        """Start a session on an asset. Messages to the user are in `language`."""
        if self.identity is None or self._link is None:
            raise RuntimeError("nobody is signed in")
        self._has_opened = True
        wish = AuthorizeRequest(
            ticket=self._ticket,
            asset=asset,
            system_user=system_user,
            protocol=Protocol.SSH,
            login_from=LoginFrom.SSH_TERMINAL,
            remote_addr=self.remote_addr,
            client=str(self._link.get_extra_info("client_version", ""))[:256],
            language=language,
        )
        opening = Opening(self._services, wish, TargetConnection, user_id=self.identity.id)
        self._refused.hand_over(opening)
        return opening

    async def reachable(self, search: str, offset: int, limit: int) -> ReachablePage:
        """Return a page of the assets that the user may reach. Raises ControlUnavailable, ControlRefused."""
        query = ReachableQuery(
            ticket=self._ticket,
            remote_addr=self.remote_addr,
            search=search,
            protocol=Protocol.SSH,
            offset=offset,
            limit=limit,
        )
        return await self._services.plane.reachable_assets(query)

    def take_direct(self, language: str) -> SshOpening:
        """Return the opening that sign-in started, or a new opening for a further channel."""
        prepared, self._prepared = self._prepared, None
        if prepared is None or prepared.is_stale:
            return self.open(self._login.asset, self._login.system_user, language)
        return prepared

    def session_requested(self) -> tuple[FrontChannel, PersonSession]:
        link = self._link
        if link is None or not self.signed_in or self.identity is None:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, "not signed in")
        if link.open_channels() >= self._limits.channels_per_connection:
            self.request_refused("session", "too many channels on one connection")
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, Text.TOO_MANY_CHANNELS.say(self.language))
        session = PersonSession(self._services, self._limits, self, self.identity, on_gone=self._sessions.discard)
        self._sessions.add(session)
        return link.new_channel(_WINDOW, _MAX_PACKET), session

    # Forwarded connections, and refused requests

    def forward_requested(self, asked: Asked) -> tuple[PacedTunnelChannel, Awaitable[Side]]:
        """Return the channel of a forwarded connection and its session to be. Raises asyncssh.ChannelOpenError."""
        link = self._link
        if link is None or not self.signed_in:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, "not signed in")
        self._forwards.check(asked)
        return link.new_forward(FORWARD_WINDOW, _MAX_PACKET), self._forwards.open(asked)

    @property
    def live_session(self) -> LiveSession | None:
        """A live session of this connection, if there is one."""
        lives = (self._forwards.session, *(session.live for session in self._sessions))
        return next((live for live in lives if live is not None), None)

    def request_refused(self, request: str, detail: str = "") -> None:
        """Audit a refused request with a session of this connection."""
        self._refused.add(request, detail)

    def report_refused(self, request: str, detail: str) -> bool:
        live = self.live_session
        if live is not None:
            live.log.request_refused(request, detail)
        elif self._prepared is not None:
            self._prepared.tell_refused(request, detail)
        return live is not None or self._prepared is not None

    @property
    def may_open(self) -> bool:
        return self.direct and self.signed_in and not self._has_opened

    def open_for_report(self) -> None:
        if self._link is not None:
            self._prepared = self.open(self._login.asset, self._login.system_user, self.language)


def _one_line(key: bytes) -> str:
    algorithm = FieldReader(key).string().decode("ascii")
    return f"{algorithm} {base64.b64encode(key).decode('ascii')}"
