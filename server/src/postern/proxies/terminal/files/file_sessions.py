"""All sessions of the file manager on this proxy, for the requests that come for them."""

from collections import OrderedDict
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from postern.contracts.files import FileProblem
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.files import FilesFailed
from postern.proxies.terminal.files.limits import ENDED_KEPT
from postern.proxies.terminal.files.texts import Text
from postern.proxies.terminal.files.uploads import UploadsHere


class _Served(Protocol):
    @property
    def session(self) -> LiveSession: ...


ServedT = TypeVar("ServedT", bound=_Served)


class FileSessions(Generic[ServedT]):
    """The sessions whose files are served here, and the ends of those whose files were."""

    def __init__(self) -> None:
        self.uploads: UploadsHere = {}
        self._served: dict[UUID, ServedT] = {}
        self._ended: OrderedDict[UUID, tuple[UUID, str]] = OrderedDict()

    def add(self, served: ServedT) -> None:
        """Serve requests for a session from now on."""
        self._served[served.session.grant.session_id] = served

    def remove(self, served: ServedT) -> None:
        """Refuse requests for a session that has ended."""
        grant = served.session.grant
        del self._served[grant.session_id]
        self._ended[grant.session_id] = (grant.user.id, served.session.end_message)
        while len(self._ended) > ENDED_KEPT:
            self._ended.popitem(last=False)

    def find(self, session_id: UUID | None, user_id: UUID | None, language: str) -> ServedT:
        """Return a session of this person. Raises `FilesFailed`, the same for a session of somebody else and for one
        that never was (K63: to know an id is no authority).
        """
        if session_id is not None and user_id is not None:
            served = self._served.get(session_id)
            if served is not None and served.session.grant.user.id == user_id:
                return served
            owner, message = self._ended.get(session_id, (None, ""))
            if owner == user_id:
                raise FilesFailed(FileProblem.SESSION_OVER, message)
        raise FilesFailed(FileProblem.NO_SESSION, Text.NO_SESSION.say(language))
