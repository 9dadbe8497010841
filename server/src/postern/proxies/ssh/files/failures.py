"""What an SFTP status means for the person."""

from typing import Final, NoReturn

from postern.contracts.enums import Actions
from postern.contracts.files import FileProblem
from postern.kernel.log import printable
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.files import FilesFailed
from postern.proxies.core.texts import Text as CoreText
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.files.texts import Text
from postern.proxies.ssh.sftp_packets import Malformed, Packet

_MAX_WORDS: Final = 200
_NO_WORDS: Final = frozenset({"", "failure", "error"})


class Failures:
    """Turns answers of one session's host into `FilesFailed`, in the language of the session."""

    def __init__(self, session: LiveSession) -> None:
        self._session = session

    @property
    def language(self) -> str:
        return self._session.language

    def over(self) -> FilesFailed:
        """The session, or the host's side of it, has ended."""
        message = self._session.end_message or CoreText.END_TARGET_CLOSED.say(self.language)
        return FilesFailed(FileProblem.SESSION_OVER, message)

    def nonsense(self) -> FilesFailed:
        """The host answered something that no host may answer."""
        return FilesFailed(FileProblem.HOST_GONE, Text.NONSENSE.say(self.language))

    def of(self, problem: FileProblem, text: Text) -> FilesFailed:
        return FilesFailed(problem, text.say(self.language))

    def check(self, answer: Packet, needed: Actions = Actions.UPDOWNLOAD) -> None:
        """Raise `FilesFailed` unless the answer is a status of success. `needed` is the action of the request."""
        if answer.type != sftp.STATUS or answer.number(4) != sftp.STATUS_OK:
            self.refuse(answer, needed)

    def expect(self, answer: Packet, kind: int, needed: Actions = Actions.UPDOWNLOAD) -> Packet:
        """Return an answer of this type. Raises `FilesFailed` for any other."""
        if answer.type != kind:
            self.refuse(answer, needed)
        return answer

    def refuse(self, answer: Packet, needed: Actions) -> NoReturn:
        """Raise the failure that the answer stands for."""
        if answer.type != sftp.STATUS:
            raise self.nonsense()
        code, words = answer.number(4), _words(answer)
        if code == sftp.STATUS_NO_SUCH_FILE:
            raise self.of(FileProblem.NOT_FOUND, Text.NOT_FOUND)
        if code == sftp.STATUS_PERMISSION_DENIED:
            if self._session.end_reason is not None:
                raise self.over()
            if not self._session.may(needed):
                raise FilesFailed(FileProblem.NOT_PERMITTED, self._session.refusal(needed))
            if words.startswith(self._beginnings):  # the inspector's own sentence
                raise FilesFailed(FileProblem.DENIED, words)
            raise self.of(FileProblem.DENIED, Text.DENIED)
        if code == sftp.STATUS_UNSUPPORTED:
            raise self.of(FileProblem.FAILED, Text.UNSUPPORTED)
        said = words if words.casefold() not in _NO_WORDS else Text.NO_REASON.say(self.language)
        raise FilesFailed(FileProblem.FAILED, Text.FAILED.say(self.language, words=said))

    @property
    def _beginnings(self) -> tuple[str, ...]:
        sentences = (CoreText.OUTSIDE_SFTP_ROOT, CoreText.NO_SFTP_ROOT)
        return tuple(sentence.say(self.language, root="\0").partition("\0")[0] for sentence in sentences)


def is_failure(answer: Packet) -> bool:
    """Whether the host gives the status without a meaning of its own, which many causes have."""
    return answer.type == sftp.STATUS and answer.number(4) == sftp.STATUS_FAILURE


def _words(answer: Packet) -> str:
    """Return the host's own words in an answer, in one line."""
    try:
        return printable(answer.string(8)[0].decode("utf-8", "replace"))[:_MAX_WORDS]
    except Malformed:
        return ""
