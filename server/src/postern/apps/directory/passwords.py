"""Judge a person's password by asking the directory. The password is never stored, logged or audited.

The same steps are taken for names that the directory does not have: the search, the groups, and a bind that fails. So an
answer takes about as long for them, and nobody learns by waiting who exists.
"""

import logging
import re
import secrets
import threading
from dataclasses import dataclass
from typing import Final

from postern.apps.directory import lookups
from postern.apps.directory.errors import DirectoryUnavailable, NotUsable
from postern.apps.directory.people import Person
from postern.apps.directory.source import Source, stored_source
from postern.foundation.network import outbound
from postern.integrations.directory.client import Conversation, converse
from postern.integrations.directory.failures import TIMEOUT, DirectoryFailed, shown
from postern.integrations.directory.messages import Result
from postern.kernel import clock
from postern.kernel.errors import PosternError
from postern.kernel.secret import Secret

log = logging.getLogger(__name__)

#: A person waits, and so does a thread.
LIMIT_S: Final = 8.0
#: Sign-ins of this process that ask the directory at once. A process compares two passwords at a time, so a directory that
#: hangs leaves one of these turns to local accounts.
_AT_ONCE: Final = 1
#: How long a sign-in waits for the sign-in before it.
_PATIENCE_S: Final = 1.0
#: A directory that did not answer in time is not asked again for so long: everybody would wait for it.
SILENCE_S: Final = 15.0
_turns: Final = threading.BoundedSemaphore(_AT_ONCE)


class _Silence:
    """The directory that did not answer in time, by the digest of its settings, and until when it is left alone."""

    def __init__(self) -> None:
        self._source = ""
        self._until_s = 0.0

    def covers(self, source: Source) -> bool:
        return self._source == source.digest and clock.monotonic_s() < self._until_s

    def begin(self, source: Source) -> None:
        self._source, self._until_s = source.digest, clock.monotonic_s() + SILENCE_S

    def end(self) -> None:
        self._source = ""


silence: Final = _Silence()

#: Results of a bind that say: this password is not right, or this account may not sign in. All others judge nothing.
_WRONG: Final = frozenset({19, 32, 34, 48, 49, 50, 53})
_AD_DATA: Final = re.compile(r"data ([0-9a-f]{3,4})\b")
#: Active Directory's reasons behind result 49, for the log (data of AcceptSecurityContext).
_AD_REASONS: Final = {
    "525": "user not found",
    "52e": "wrong password, or unknown user",
    "530": "not permitted at this time",
    "531": "not permitted at this computer",
    "532": "password expired",
    "533": "account disabled",
    "701": "account expired",
    "773": "password must be changed",
    "775": "account locked",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """`person`: whose password it is; None when it is nobody's. `reason`: for administrators, why not."""

    person: Person | None
    reason: str = ""


def judge(username: str, password: str) -> Judgement:
    """Ask the directory of the settings. Blocks for `LIMIT_S` at most; call it outside of transactions.

    Raises DirectoryUnavailable when nothing could be judged.
    """
    try:
        source = stored_source()
    except NotUsable as error:
        raise _unavailable(error) from None
    if silence.covers(source) or not _turns.acquire(timeout=_PATIENCE_S):
        log.warning("the directory does not answer in time")
        raise DirectoryUnavailable
    try:
        if silence.covers(source):  # it fell silent while this sign-in waited for its turn
            raise DirectoryUnavailable
        return judge_at(source, username, Secret(password), limit_s=LIMIT_S)
    except DirectoryFailed as error:
        if error.sentence.code == TIMEOUT:
            silence.begin(source)
        raise _unavailable(error) from None
    finally:
        _turns.release()


def _unavailable(error: PosternError) -> DirectoryUnavailable:
    log.warning("the directory could not judge a sign-in: %s", error.message)
    return DirectoryUnavailable()


def judge_at(source: Source, username: str, password: Secret, *, limit_s: float) -> Judgement:
    """Whether the password belongs to this login name in that directory. Raises DirectoryFailed."""
    if not password.reveal() or not username:
        return Judgement(None, "empty")  # a directory would take it as anonymous, and say yes

    async def talk(conversation: Conversation) -> tuple[Judgement, Result | None]:
        await conversation.bind()
        found = await lookups.find(conversation, source, username)
        if len(found) != 1:
            nobody = f"cn={secrets.token_hex(8)},{source.bases[0]}"
            await lookups.is_member(conversation, source, nobody, "")
            await conversation.try_password(nobody, Secret(secrets.token_hex(8)))
            return Judgement(None, "ambiguous" if found else "unknown"), None
        entry, person = found[0]
        is_member = await lookups.is_member(conversation, source, entry.dn, person.username)
        result = await conversation.try_password(entry.dn, password)
        if result.code:
            return Judgement(None, reason_of(result)), result
        if not is_member:
            return Judgement(None, "not in a group of the settings"), None
        return (Judgement(person) if person.is_enabled else Judgement(None, "account disabled")), None

    judgement, result = converse(source.server, talk, check=outbound.check_directory_server, limit_s=limit_s)
    if result is not None and result.code not in _WRONG:
        raise DirectoryUnavailable
    return judgement


def reason_of(result: Result) -> str:
    """A refused bind in the words of the directory, and what Active Directory means by it."""
    found = _AD_DATA.search(result.text)
    meaning = _AD_REASONS.get(found[1], "") if found else ""
    return f"{shown(result.code, result.text)} ({meaning})" if meaning else shown(result.code, result.text)
