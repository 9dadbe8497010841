"""A session whose user works with files in a browser.

Life cycle: `OpenFiles` redeems the token and opens the files of the host. From `FilesOpened` on, requests over HTTP are
served (`server`), as long as the session lives. Only the websocket keeps it alive.
"""

import contextlib
from collections.abc import Callable

from postern.contracts.browser import FilesOpened, Resume, Resumed
from postern.contracts.enums import EndReason
from postern.kernel.clock import now
from postern.proxies.core.opening.reaching import ending, reach
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.files import FilesFailed, FilesLink, RemoteFiles
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.terminal.browser_session import BrowserSession
from postern.proxies.terminal.files.editing import Texts
from postern.proxies.terminal.files.file_sessions import FileSessions
from postern.proxies.terminal.files.open_files import OpenFiles
from postern.proxies.terminal.files.uploads import Uploads
from postern.proxies.terminal.link import BrowserLink


class FileBrowser(BrowserSession):
    """One session of the file manager."""

    def __init__(
        self,
        session: LiveSession,
        link: BrowserLink,
        *,
        services: CoreServices,
        sessions: "FileSessions[FileBrowser]",
        on_gone: Callable[[BrowserSession], None],
    ) -> None:
        super().__init__(session, link, services, on_gone)
        self._sessions = sessions
        self._target: FilesLink | None = None
        self._remote: RemoteFiles | None = None
        self._is_served = False

    @property
    def _is_open(self) -> bool:
        return self._is_served

    # Opening

    async def _open(self) -> None:
        session = self.session
        with contextlib.suppress(Refused), ending(session):  # `_session_ended` informs the page
            target = self._target = await reach(
                self._services.connectors,
                session,
                FilesLink,  # type: ignore[type-abstract]  # asked for, not made
                prompter=self._questions.ask,
                progress=self._progress,
            )
            try:
                remote = self._remote = await target.open_files(session, on_gone=self._host_gone)
                home = await remote.start()
            except FilesFailed as failure:
                raise TargetFailed(EndReason.TARGET_CLOSED, failure.message, failure.problem.value) from failure
            except BaseException:
                target.close()
                raise
            await self._opened(remote, home)

    async def _opened(self, remote: RemoteFiles, home: bytes) -> None:
        grant = self.grant
        if self.session.end_reason is not None:
            return
        self.files = OpenFiles(self.session, remote, home)
        self.texts = Texts(self.files)
        self.uploads = Uploads(self.files, self._sessions.uploads)
        self._is_served = True
        self._sessions.add(self)
        opened = FilesOpened(
            session_id=grant.session_id,
            resume_secret=self._secrets.renew(),
            asset=grant.asset_name,
            system_user=grant.system_user_name,
            login_name=self.session.entered_login_name or grant.login_name,
            actions=int(self.session.rights.at(now())),
            host_key=remote.host_key_fingerprint,
            idle_timeout_s=grant.idle_timeout_s,
        )
        await self._tell_opened(opened)

    def _host_gone(self) -> None:
        self.session.end(EndReason.TARGET_CLOSED, "the connection to the target was lost")

    # Losing and resuming a link

    def _resumed(self, resume: Resume, secret: str) -> Resumed:
        del resume  # there is no output whose position counts
        session_id = self.grant.session_id
        return Resumed(session_id=session_id, resume_secret=secret, offset=0, input_received=0, input_until=0)

    def _attached(self) -> None:
        if self._ended is not None:
            self._end_known()

    # End

    def _closed(self) -> None:
        if self._is_served:
            self._sessions.remove(self)
            self.uploads.close()
            self.files.end_operations()
        if self._remote is not None:
            self._remote.close()
        if self._target is not None:
            self._target.close()

    def _end_known(self) -> None:
        link, ended = self._link, self._ended
        if link is not None and ended is not None:
            self._spawn(self._say_end(link))

    async def _say_end(self, link: BrowserLink) -> None:
        if self._ended is not None:
            await link.end(self._ended)
        if link is self._link:
            self._link = None
            self._finish()
