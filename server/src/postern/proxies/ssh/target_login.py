"""Login on a target: the host key is judged first, then the credential is requested, used and dropped."""

import secrets

import asyncssh

from postern.contracts.access import ATTEMPT_BYTES, Credential, CredentialRequest, HostKeySeen
from postern.contracts.enums import EndReason, HostKeyVerdict
from postern.proxies.core.control.plane import ControlPlane, ControlRefused, ControlUnavailable
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import Progress, Prompter
from postern.proxies.core.texts import Text
from postern.proxies.ssh_connections.fetched_secret import FetchedSignIn


class TargetLogin(FetchedSignIn):
    """One login on a target for one session."""

    def __init__(
        self,
        session: LiveSession,
        plane: ControlPlane,
        *,
        prompter: Prompter,
        progress: Progress,
        after: "TargetLogin | None" = None,
    ) -> None:
        """`after` is the login whose entered password the target has refused. The user is asked again."""
        super().__init__(f"session {session.grant.session_id}")
        self._session = session
        self._plane = plane
        self._prompter = prompter
        self._progress = progress
        self._is_again = after is not None
        self.login_name: str = after.login_name if after is not None else session.grant.login_name
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

    async def fetch(self) -> Credential:
        grant, language = self._session.grant, self._session.language
        if grant.manual and (self._is_again or not grant.entered):
            return await self._ask()
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
        if answer.credential is None and grant.manual:  # what was entered beforehand has expired, or was used
            return await self._ask()
        if answer.credential is None:
            message = answer.denial.message if answer.denial is not None else Text.END_CREDENTIAL_REFUSED.say(language)
            code = f": {answer.denial.code.value}" if answer.denial is not None else ""
            raise self.fail(EndReason.CREDENTIAL_REFUSED, message, f"the control plane gave no credential{code}")
        return answer.credential

    async def _ask(self) -> Credential:
        """Ask for the password. It is not echoed, and used for this login only."""
        question = Text.PROMPT_PASSWORD_AGAIN if self._is_again else Text.PROMPT_PASSWORD
        text = question.say(self._session.language, login=self.login_name, host=self._session.grant.asset_name)
        return Credential(login_name=self.login_name, password=await self._prompter(text, False))
