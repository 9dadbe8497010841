"""Login on a target: the host key is judged first, then the credential is requested, used and dropped."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Final

import asyncssh
from asyncssh.connection import SSHClientConnection
from asyncssh.packet import SSHPacket

from postern.contracts.access import ATTEMPT_BYTES, CredentialRequest, HostKeySeen
from postern.contracts.enums import EndReason, HostKeyVerdict
from postern.kernel.secret import Secret
from postern.proxies.core.control.plane import ControlPlane, ControlRefused, ControlUnavailable
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import Progress, Prompter, TargetFailed
from postern.proxies.core.texts import Text
from postern.proxies.ssh.fast_transport import FastConnection
from postern.proxies.ssh.target_methods import MAX_ROUNDS, MethodWalk, Outcome, Question, question_of, shown_question
from postern.proxies.ssh.transport import PacedConnection

log = logging.getLogger(__name__)

_MSG_USERAUTH_FAILURE: Final = 51


class TargetLink(PacedConnection, SSHClientConnection):
    """A connection to a target whose login waits until the host key is approved."""

    approve: Callable[[asyncssh.SSHKey], "asyncio.Future[None]"] | None = None
    #: Decides which sign-in method is next.
    walk: MethodWalk

    def validate_server_host_key(self, key_data: bytes) -> asyncssh.SSHKey:
        """Accept any well-formed plain key here. Its identity is judged before the login continues."""
        try:
            key = asyncssh.public_key.decode_ssh_public_key(key_data)
        except asyncssh.KeyImportError as error:
            raise asyncssh.HostKeyNotVerifiable(str(error)) from None
        known = self._server_host_key
        if known is not None and known.public_data != key.public_data:
            raise asyncssh.HostKeyNotVerifiable("the host key changed within one connection")
        self._server_host_key = key
        return key

    def send_service_request(self, service: bytes) -> None:
        """Continue after the host key is approved. Called once, after the first key exchange."""
        self.create_task(self._approve_and_go_on(service))

    async def _approve_and_go_on(self, service: bytes) -> None:
        key = self._server_host_key
        if self.approve is None or key is None:
            raise asyncssh.HostKeyNotVerifiable("nobody judges the host key")
        await self.approve(key)
        super().send_service_request(service)

    def _process_userauth_failure(self, pkttype: int, pktid: int, packet: SSHPacket) -> None:
        """Record that the target asks for another method. The library would drop whether the last method succeeded."""
        again = SSHPacket(packet.get_full_payload())
        again.get_byte()
        methods = [name.decode("ascii", "backslashreplace") for name in again.get_namelist()]
        self.walk.answered(methods, partial=again.get_boolean())
        super()._process_userauth_failure(pkttype, pktid, packet)

    def try_next_auth(self, *, next_method: bool = False) -> None:
        """Choose the next method. The library calls this for the first request ("none") and when a method has
        finished.
        """
        if next_method or self._auth is not None:
            method = self.walk.next()
            self._auth_methods = [] if method is None else [method.encode("ascii")]
        super().try_next_auth()

    _packet_handlers = {
        **PacedConnection._packet_handlers,  # noqa: SLF001 - its base
        _MSG_USERAUTH_FAILURE: _process_userauth_failure,
    }


class FastTargetLink(FastConnection, TargetLink):
    """A connection to a target with the fast data path."""


class LogInClient(asyncssh.SSHClient):
    """Answers the target's requests with the session's credential, which is fetched at the first request."""

    def __init__(self, opening: "TargetLogin") -> None:
        self._opening = opening
        self._walk = opening.walk
        self._key_offered = False
        self._rounds = 0
        self._password_given = False

    async def public_key_auth_requested(self) -> asyncssh.SSHKey | None:
        if self._key_offered:
            # The library asks again if the target accepts none of the key's signature algorithms.
            return None
        self._key_offered = True
        return await self._opening.private_key()

    async def password_auth_requested(self) -> str | None:
        password = await self._opening.password()
        if password is not None:
            self._walk.password_shown()
        return password

    def password_change_requested(self, prompt: str, lang: str) -> tuple[str, str]:  # noqa: ARG002 - the library calls it so
        self._walk.unable(Outcome.EXPIRED)
        return NotImplemented  # type: ignore[no-any-return]  # how the library wants a "no"

    async def kbdint_auth_requested(self) -> str | None:
        self._rounds = 0
        self._password_given = False
        return "" if await self._opening.password() is not None else None

    async def kbdint_challenge_received(
        self,
        name: str,
        instructions: str,
        lang: str,  # noqa: ARG002 - the library calls it so
        prompts: Sequence[tuple[str, bool]],
    ) -> list[str] | None:
        self._rounds += 1
        question = question_of(prompts, f"{name} {instructions}", answered=self._password_given)
        if question is Question.NOTHING and self._rounds <= MAX_ROUNDS:
            return []
        if question is Question.PASSWORD and self._rounds <= MAX_ROUNDS:
            self._password_given = True
            return [await self.password_auth_requested() or ""]
        outcome = Outcome.EXPIRED if question is Question.NEW_PASSWORD else Outcome.NO_ANSWER
        self._walk.unable(outcome, shown_question(prompts))
        return None


class TargetLogin:
    """One login on a target for one session."""

    def __init__(
        self,
        session: LiveSession,
        plane: ControlPlane,
        *,
        prompter: Prompter,
        progress: Progress,
    ) -> None:
        self._session = session
        self._plane = plane
        self._prompter = prompter
        self._progress = progress
        self._private_key = Secret("")
        self._password: Secret | None = None
        self._asked = False
        self.walk = MethodWalk()
        self.login_name = session.grant.login_name
        self.fingerprint = ""
        self.failure: TargetFailed | None = None

    async def approve(self, key: asyncssh.SSHKey) -> None:
        """Have the control plane judge the host key. Raises `TargetFailed`."""
        grant = self._session.grant
        self.fingerprint = key.get_fingerprint()
        try:
            answer = await self._plane.host_key(
                HostKeySeen(
                    session_id=grant.session_id,
                    opening_key=grant.opening_key,
                    host=grant.target.host,
                    port=grant.target.port,
                    public_key=key.export_public_key("openssh").decode("ascii").strip(),
                    language=self._session.language,
                )
            )
        except (ControlUnavailable, ControlRefused) as error:
            raise self._fail(
                EndReason.CONTROL_LOST, Text.CONTROL_UNAVAILABLE.say(self._session.language), error.message
            ) from error
        if answer.verdict is HostKeyVerdict.CHANGED:
            message = Text.HOST_KEY_CHANGED.say(
                self._session.language,
                host=grant.target.host,
                pinned=answer.pinned_fingerprint,
                seen=self.fingerprint,
            )
            raise self._fail(EndReason.HOST_KEY_REFUSED, message, f"shown: {self.fingerprint}")
        self._progress("authenticating")

    async def private_key(self) -> asyncssh.SSHKey | None:
        """Return the private key of the credential, or None."""
        await self._credential()
        if not self._private_key:
            return None
        try:
            return asyncssh.import_private_key(self._private_key.reveal())
        except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError):
            log.warning("session %s: the stored private key cannot be read", self._session.grant.session_id)
            return None
        finally:
            self._private_key = Secret("")

    async def password(self) -> str | None:
        """Return the password of the credential, or None."""
        await self._credential()
        return self._password.reveal() if self._password else None

    async def _credential(self) -> None:
        """Fetch the credential once, and only when the target asks for it."""
        if self._asked:
            return
        self._asked = True
        grant = self._session.grant
        language = self._session.language
        if grant.manual:
            question = Text.PROMPT_PASSWORD.say(language, login=self.login_name, host=grant.asset_name)
            self._password = Secret(await self._prompter(question, False))
            return
        try:
            answer = await self._plane.credential(
                CredentialRequest(
                    session_id=grant.session_id,
                    opening_key=grant.opening_key,
                    language=language,
                    attempt=secrets.token_hex(ATTEMPT_BYTES),
                )
            )
        except (ControlUnavailable, ControlRefused) as error:
            raise self._fail(EndReason.CONTROL_LOST, Text.CONTROL_UNAVAILABLE.say(language), error.message) from error
        if answer.credential is None:
            message = answer.denial.message if answer.denial is not None else Text.END_CREDENTIAL_REFUSED.say(language)
            raise self._fail(EndReason.CREDENTIAL_REFUSED, message, "the control plane gave no credential")
        self._private_key = Secret(answer.credential.private_key)
        self._password = Secret(answer.credential.password) if answer.credential.password else None

    def _fail(self, reason: EndReason, message: str, detail: str) -> TargetFailed:
        self.failure = TargetFailed(reason, message, detail)
        return self.failure

    def forget(self) -> None:
        """Drop the secrets."""
        self._private_key = Secret("")
        self._password = None
