"""The link to an SSH host that can also show its files."""

import asyncio
from collections.abc import Callable
from typing import Final

from postern.contracts.enums import EndReason
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.files import FilesLink
from postern.proxies.core.targets.ports import TargetExit, TargetFailed
from postern.proxies.ssh.files.client import Gone, SftpClient
from postern.proxies.ssh.files.failures import Failures
from postern.proxies.ssh.files.sftp_files import SftpFiles
from postern.proxies.ssh.files.texts import Text
from postern.proxies.ssh.judging import SFTP_SERVER, pass_filters
from postern.proxies.ssh.relay import Relay
from postern.proxies.ssh.sftp_inspector import SftpInspector
from postern.proxies.ssh.sftp_packets import Malformed
from postern.proxies.ssh.sftp_root import is_whole_host
from postern.proxies.ssh.target import Program, TargetConnection
from postern.proxies.ssh.wish import Wish, judge

#: How long a host may take to begin with SFTP.
_BEGIN_S: Final = 20.0


class _FilesRelay(Relay):
    """Says what is missing when a host ends its SFTP server, or says something else, before it has begun."""

    has_begun = False

    def on_target_exit(self, how: TargetExit) -> None:
        if not self.has_begun:
            self._there_is_no_sftp("its SFTP server ended at once")
        super().on_target_exit(how)

    def _guarded(self, read: Callable[[bytes], bytes], data: bytes) -> bytes:
        if self.has_begun:
            return super()._guarded(read, data)
        try:
            return read(data)
        except ValueError as error:
            self._there_is_no_sftp(str(error))
            return b""

    def _there_is_no_sftp(self, why: str) -> None:
        sentence = Text.NO_SFTP.say(self.session.language)
        self.session.end(EndReason.TARGET_CLOSED, f"no SFTP: {why}", message=sentence)


class SshTarget(TargetConnection, FilesLink):
    """An authenticated connection that runs programs, shells, and the file manager."""

    async def open_files(self, session: LiveSession, *, on_gone: Callable[[], None]) -> SftpFiles:
        kind, inspector = judge(session, Wish(subsystem="sftp"), terminal=False)
        if not isinstance(inspector, SftpInspector):
            raise TypeError("the SFTP subsystem has another inspector")
        client = SftpClient(lambda why: self._is_no_sftp(session, why))
        relay = _FilesRelay(session, client, terminal=False, inspector=inspector)
        client.join(relay.from_person)
        session.on_end(lambda _reason, _message: _over(client, on_gone))
        await pass_filters(session, SFTP_SERVER)
        try:
            program = await self.run(Program(subsystem="sftp"), relay, language=session.language)
            relay.start(program)
            async with asyncio.timeout(_BEGIN_S):
                await client.begin()
        except (TargetFailed, TimeoutError, Gone, Malformed) as error:
            if session.end_reason is not None:
                raise Refused(session.end_message, ended=session.end_reason) from error
            sentence = Text.NO_SFTP.say(session.language)
            raise TargetFailed(EndReason.TARGET_CLOSED, sentence, f"no SFTP: {error}") from error
        relay.has_begun = True
        session.activate(kind)
        return SftpFiles(
            client,
            inspector,
            relay,
            Failures(session),
            fingerprint=self.host_key_fingerprint,
            has_root=not is_whole_host(session.grant.sftp_root),
        )

    @staticmethod
    def _is_no_sftp(session: LiveSession, why: str) -> None:
        session.end(EndReason.LIMIT, f"file transfer protocol: {why}", message=Text.NONSENSE.say(session.language))


def _over(client: SftpClient, on_gone: Callable[[], None]) -> None:
    client.gone()
    on_gone()
