"""Login on a target: the host key is judged first, then the credential is requested, used and dropped."""

import logging
import secrets

import asyncssh

from postern.contracts.access import ATTEMPT_BYTES, CredentialRequest, HostKeySeen
from postern.contracts.enums import EndReason, HostKeyVerdict
from postern.kernel.secret import Secret
from postern.proxies.core.control.plane import ControlPlane, ControlRefused, ControlUnavailable
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import Progress, Prompter
from postern.proxies.core.texts import Text
from postern.proxies.ssh_connections.sign_in import SignIn

log = logging.getLogger(__name__)


class TargetLogin(SignIn):
    """One login on a target for one session."""

    def __init__(
        self,
        session: LiveSession,
        plane: ControlPlane,
        *,
        prompter: Prompter,
        progress: Progress,
    ) -> None:
        super().__init__()
        self._session = session
        self._plane = plane
        self._prompter = prompter
        self._progress = progress
        self._private_key = Secret("")
        self._password: Secret | None = None
        self._asked = False
        self.login_name = session.grant.login_name
        self.fingerprint = ""

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
                    via=self._session.via,
                    language=self._session.language,
                )
            )
        except (ControlUnavailable, ControlRefused) as error:
            raise self.fail(
                EndReason.CONTROL_LOST, Text.CONTROL_UNAVAILABLE.say(self._session.language), error.message
            ) from error
        if answer.verdict is HostKeyVerdict.CHANGED:
            message = Text.HOST_KEY_CHANGED.say(
                self._session.language,
                host=grant.target.host,
                pinned=answer.pinned_fingerprint,
                seen=self.fingerprint,
            )
            raise self.fail(EndReason.HOST_KEY_REFUSED, message, f"shown: {self.fingerprint}")
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
            raise self.fail(EndReason.CONTROL_LOST, Text.CONTROL_UNAVAILABLE.say(language), error.message) from error
        if answer.credential is None:
            message = answer.denial.message if answer.denial is not None else Text.END_CREDENTIAL_REFUSED.say(language)
            raise self.fail(EndReason.CREDENTIAL_REFUSED, message, "the control plane gave no credential")
        self._private_key = Secret(answer.credential.private_key)
        self._password = Secret(answer.credential.password) if answer.credential.password else None

    def forget(self) -> None:
        """Drop the secrets."""
        self._private_key = Secret("")
        self._password = None
