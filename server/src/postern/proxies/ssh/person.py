"""One person's connection: sign-in by the control plane, then session channels. Nothing is granted before sign-in."""

import asyncio
import logging
import secrets
from collections.abc import Sequence
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
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.language import choose_language
from postern.proxies.core.opening.opening import Opening
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.texts import Text
from postern.proxies.ssh.front import FrontChannel, FrontLink
from postern.proxies.ssh.key_pace import KeyPace
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.person_session import PersonSession, SshOpening
from postern.proxies.ssh.target import TargetConnection

log = logging.getLogger(__name__)

_WINDOW: Final = 2 * 1024 * 1024
_MAX_PACKET: Final = 32768
_MAX_PASSWORD: Final = 1024
_MAX_CODE: Final = 64
_MAX_AUDITED_REFUSALS: Final = 50
#: How long a refused request waits for the channel whose session it is told with.
_CHANNEL_AWAITED_S: Final = 1.0
#: Refusals that a person may be told before sign-in; others would tell a stranger which accounts exist.
_TOLD_BEFORE_SIGN_IN: Final = frozenset({DenialCode.LOCKED, DenialCode.METHOD_DISABLED, DenialCode.CONTROL_UNAVAILABLE})
#: These come only after the right password, so they may say more.
_TOLD_AFTER_PROOF: Final = frozenset(
    {
        DenialCode.PASSWORD_MUST_CHANGE,
        DenialCode.USER_EXPIRED,
        DenialCode.USER_INACTIVE,
        DenialCode.MFA_FAILED,
        DenialCode.MFA_UNSET,
        DenialCode.NOTICE_UNCONFIRMED,
    }
)


class Person(asyncssh.SSHServer):
    """Owner of one `FrontLink`."""

    def __init__(self, services: CoreServices, limits: SshLimits, pace: KeyPace) -> None:
        self._services = services
        self._limits = limits
        self._pace = pace
        self._link: FrontLink | None = None
        self._username = ""  # as the client sent it
        self._login = LoginNameAnswer(username="")  # how it was meant; known after sign-in
        self._ticket = ""
        self._passwords_tried = 0
        #: Keys shown under a name, and whether each would do; None: not known yet.
        self._keys: dict[tuple[str, bytes], bool | None] = {}
        self._refusals_audited = 0
        self._refused_early: list[tuple[str, str]] = []
        self._has_opened = False
        self._prepared: SshOpening | None = None
        self._second_factor: SecondFactor | None = None
        self._codes_tried = 0
        self._sessions: set[PersonSession] = set()
        self.identity: UserIdentity | None = None
        self.signed_in = False
        self.remote_addr = ""

    # Connection

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        if not isinstance(conn, FrontLink):
            raise TypeError("a person comes through a FrontLink")
        self._link = conn
        self.remote_addr = str(conn.get_extra_info("peername", ("",))[0]).removeprefix("::ffff:")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library calls it so
        self._tell_refused_early()
        if self._prepared is not None:
            self._prepared.abandon()
            self._prepared = None
        self._drop_ticket()
        self._link = None

    def disconnect(self) -> None:
        """Close the connection with everything on it."""
        if self._link is not None:
            self._link.close()

    @property
    def _chosen_language(self) -> str:
        return self.identity.language if self.identity is not None else ""

    @property
    def language(self) -> str:
        """Without a channel: the person's own once they have signed in, else the installation's."""
        return choose_language(self._chosen_language, {}, self._services.settings.current.language)

    # Sign-in

    async def begin_auth(self, username: str) -> bool:
        """A (new) user name: nothing that was shown under another one counts any more (K27)."""
        self.identity = None
        self._second_factor = None
        self._drop_ticket()
        self._username = username
        return True

    def _drop_ticket(self) -> None:
        """Nobody acts with it any more: the control plane is told, and takes it for nothing from then on."""
        if self._ticket:
            self._services.tickets.give_back(self._ticket)
            self._ticket = ""

    @property
    def second_factor_due(self) -> bool:
        """Whether the first factor was right and the code is still to come; until then only that is offered."""
        return self._second_factor is not None

    def password_auth_supported(self) -> bool:
        return self._services.settings.current.password_auth and not self.second_factor_due

    def public_key_auth_supported(self) -> bool:
        return self._services.settings.current.public_key_auth and not self.second_factor_due

    def kbdint_auth_supported(self) -> bool:
        return self.second_factor_due

    def get_kbdint_challenge(
        self,
        username: str,  # noqa: ARG002 - the library calls it so
        lang: str,  # noqa: ARG002 - the library calls it so
        submethods: str,  # noqa: ARG002 - the library calls it so
    ) -> tuple[str, str, str, list[tuple[str, bool]]] | bool:
        """Ask for the code. It is shown while it is typed: it is worth nothing a minute later."""
        if self._second_factor is None:
            return False
        language = self._second_factor.language or self.language
        prompt = (Text.MFA_PROMPT.say(language), True)
        return "", Text.MFA_EXPLAINED.say(language), "", [prompt]

    async def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:  # noqa: ARG002 - the library calls it so
        due = self._second_factor
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
        if self._second_factor is not due:  # another user name meanwhile: this answer is about somebody else
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
        return self._take(answer)

    async def key_offered(self, key: asyncssh.SSHKey) -> bool:
        """Would this key do? The answer lets the client sign; it signs nobody in."""
        shown = (self._username, key.public_data)
        known = self._keys.get(shown)
        if known is not None:  # the client asks again, to no use
            return known
        if not await self._may_ask(shown):
            return False
        request = PublicKeyOffer(username=shown[0], public_key=_one_line(key), remote_addr=self.remote_addr)
        try:
            answer = await self._services.plane.public_key_offer(request)
        except (ControlUnavailable, ControlRefused) as error:
            self._control_away(error)
        self._keys[shown] = answer.acceptable
        return answer.acceptable

    async def key_proven(self, key: asyncssh.SSHKey, signed: bytes, signature: bytes) -> bool:
        """The client has signed with this key; the control plane looks at the signature itself."""
        if not await self._may_ask((self._username, key.public_data)):
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

    async def _may_ask(self, shown: tuple[str, bytes]) -> bool:
        """Whether the connection may show this key under this name, once it is the turn of its address."""
        self._keys.setdefault(shown, None)
        if len(self._keys) > self._limits.public_keys:
            return False
        await self._pace.turn(self.remote_addr)
        return True

    def _take(self, answer: SignInAnswer) -> bool:
        """Keep what the control plane says about a factor; whether it was right."""
        denial = answer.denial
        if denial is not None:
            self.identity = None
            if denial.code in _TOLD_BEFORE_SIGN_IN | _TOLD_AFTER_PROOF:
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
        """A sign-in that nobody waits for any more."""
        if answer.ticket:
            self._services.tickets.give_back(answer.ticket)

    def _control_away(self, error: ControlUnavailable | ControlRefused) -> NoReturn:
        """Nobody judged what was shown, so it is no refusal: the connection ends with a reason of its own."""
        log.warning("sign-in from %s: %s", self.remote_addr, error.message)
        self._banner(Text.CONTROL_UNAVAILABLE.say(self.language))
        # Clients escape what is not ASCII in the reason of a disconnect.
        raise asyncssh.DisconnectError(asyncssh.DISC_SERVICE_NOT_AVAILABLE, Text.CONTROL_UNAVAILABLE.say("en"))

    def _banner(self, text: str) -> None:
        if self._link is not None:
            self._link.send_auth_banner(text + "\r\n")

    def auth_completed(self) -> None:
        """From here on the person may do something; a direct form starts towards its target at once."""
        self.signed_in = self.identity is not None and not self.second_factor_due
        if not self.signed_in:
            self.disconnect()
            return
        self._services.tickets.take(self._ticket, self._ticket_void)
        if self.direct and self._chosen_language:
            # Who has chosen no language is asked for by a channel first: it brings the client's.
            self._prepared = self.open(self._login.asset, self._login.system_user, self.language)

    def _ticket_void(self) -> None:
        """The sign-in has ended elsewhere. Sessions that are open have their own rules; without any there is nothing left."""
        if not any(session.live is not None for session in self._sessions):
            self.disconnect()

    # Sessions

    @property
    def direct(self) -> bool:
        """Whether the user name says where to go; otherwise there is the menu."""
        return bool(self._login.asset)

    def open(self, asset: str, system_user: str, language: str) -> SshOpening:
        """Start a session towards an asset, for a person who is spoken to in `language`."""
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
        refused, self._refused_early = self._refused_early, []
        for request, detail in refused:
            opening.tell_refused(request, detail)
        return opening

    async def reachable(self, search: str, offset: int, limit: int) -> ReachablePage:
        """A page of what the person may reach. Raises ControlUnavailable, ControlRefused."""
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
        """The opening that sign-in began, or for a further channel a new one."""
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

    def request_refused(self, request: str, detail: str = "") -> None:
        """Tell the audit log, as part of a session of this connection; a flood is told about only so often."""
        self._refusals_audited += 1
        log.info("refused %s (%s) from %s", request, detail, self.remote_addr)
        if self._refusals_audited > _MAX_AUDITED_REFUSALS:
            return
        for session in self._sessions:
            if session.live is not None:
                session.live.request_refused(request, detail)
                return
        if self._prepared is not None:
            self._prepared.tell_refused(request, detail)
        elif self.direct and self.signed_in and not self._has_opened:
            # The audit log knows a request by its session. A channel that asks for one usually follows at once.
            self._refused_early.append((request, detail))
            asyncio.get_running_loop().call_later(_CHANNEL_AWAITED_S, self._tell_refused_early)

    def _tell_refused_early(self) -> None:
        """No channel has come: the session is opened for the audit log's sake."""
        if self._refused_early and self._link is not None:
            self._prepared = self.open(self._login.asset, self._login.system_user, self.language)


def _one_line(key: asyncssh.SSHKey) -> str:
    return key.export_public_key("openssh").decode("ascii").strip()
