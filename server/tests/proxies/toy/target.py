"""The connector to a toy server: dial, log in, send lines."""

import asyncio

from postern.contracts.access import CredentialRequest
from postern.contracts.enums import EndReason
from postern.kernel.secret import Secret
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import Progress, Prompter, TargetConnector, TargetFailed, TargetLink

MAX_LINE_BYTES = 4096


class ToyLink(TargetLink):
    """An authenticated connection that answers each line with one line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ask(self, line: bytes) -> bytes:
        """Return the answer without its line feed. Raises ConnectionError if the target is gone."""
        self._writer.write(line + b"\n")
        await self._writer.drain()
        answer = await self._reader.readline()
        if not answer.endswith(b"\n"):
            raise ConnectionError("the target closed the connection")
        return answer[:-1]

    def close(self) -> None:
        self._writer.close()


class ToyTargets(TargetConnector[ToyLink]):
    def __init__(self, services: CoreServices) -> None:
        self._services = services

    async def connect(self, session: LiveSession, *, prompter: Prompter, progress: Progress) -> ToyLink:
        services = self._services
        wire = await services.outbound.connect(session, progress=progress)
        link = ToyLink(*await wire.streams(limit=MAX_LINE_BYTES))
        try:
            progress("authenticating")
            async with asyncio.timeout(services.limits.connect_s):
                answer = await link.ask(await self._login(session))
        except (OSError, TimeoutError) as error:
            link.close()
            raise TargetFailed(EndReason.UNREACHABLE, "The target does not answer.", str(error)) from error
        if answer != b"welcome":
            link.close()
            raise TargetFailed(EndReason.CREDENTIAL_REFUSED, "The target refused the password.")
        return link

    async def _login(self, session: LiveSession) -> bytes:
        """The credential is requested last, once, and dropped after use."""
        grant = session.grant
        request = CredentialRequest(session_id=grant.session_id, opening_key=grant.opening_key)
        answer = await self._services.plane.credential(request)
        if answer.credential is None:
            raise TargetFailed(EndReason.CREDENTIAL_REFUSED, "There is no password.")
        password = Secret(answer.credential.password)
        return f"{answer.credential.login_name} {password.reveal()}".encode()
