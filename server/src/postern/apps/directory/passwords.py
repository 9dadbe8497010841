"""Checks passwords against the directory. A password is never stored, logged or audited.

Names that the directory does not have take the same steps: the search, the groups, and a bind that fails. The response
time is therefore about the same, and does not reveal which names exist.
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

#: Limit of one check. The user and a thread wait for it.
LIMIT_S: Final = 8.0
#: Concurrent checks at the directory per process. A process compares two passwords at a time, so a directory that hangs
#: leaves one slot to local accounts.
_MAX_CONCURRENT: Final = 1
#: How long a sign-in waits for a free slot.
_MAX_WAIT_S: Final = 1.0
#: Pause after a time-out of the directory. Without it, every sign-in would wait for the time-out again.
SILENCE_S: Final = 15.0
_slots: Final = threading.BoundedSemaphore(_MAX_CONCURRENT)


class _Silence:
    """The pause after a time-out: the digest of the directory's settings, and the end of the pause."""

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

#: Bind results that mean: wrong password, or the account may not sign in. All other results decide nothing.
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
    """`person`: the owner of the password; None when it was refused. `reason`: of the refusal, for administrators."""

    person: Person | None
    reason: str = ""


def judge(username: str, password: str) -> Judgement:
    """Check the password at the directory of the settings. Blocks for at most `LIMIT_S`; call it outside of
    transactions.

    Raises DirectoryUnavailable when the password could not be checked.
    """
    try:
        source = stored_source()
    except NotUsable as error:
        raise _unavailable(error) from None
    if silence.covers(source) or not _slots.acquire(timeout=_MAX_WAIT_S):
        log.warning("the directory does not answer in time")
        raise DirectoryUnavailable
    try:
        if silence.covers(source):  # the directory timed out while this sign-in waited for a slot
            raise DirectoryUnavailable
        return judge_at(source, username, Secret(password), limit_s=LIMIT_S)
    except DirectoryFailed as error:
        if error.sentence.code == TIMEOUT:
            silence.begin(source)
        raise _unavailable(error) from None
    finally:
        _slots.release()


def _unavailable(error: PosternError) -> DirectoryUnavailable:
    log.warning("the directory could not judge a sign-in: %s", error.message)
    return DirectoryUnavailable()


def judge_at(source: Source, username: str, password: Secret, *, limit_s: float) -> Judgement:
    """Whether the password belongs to this login name in that directory. Raises DirectoryFailed."""
    if not password.reveal() or not username:
        return Judgement(None, "empty")  # a directory accepts an empty password as an anonymous bind

    async def talk(conversation: Conversation) -> tuple[Judgement, Result | None]:
        await conversation.bind()
        matches = await lookups.find(conversation, source, username)
        if len(matches) != 1:
            nobody = f"cn={secrets.token_hex(8)},{source.bases[0]}"
            await lookups.is_member(conversation, source, nobody, "")
            await conversation.try_password(nobody, Secret(secrets.token_hex(8)))
            return Judgement(None, "ambiguous" if matches else "unknown"), None
        entry, person = matches[0]
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
    """The text of the directory for a refused bind, with the meaning of the code of Active Directory."""
    match = _AD_DATA.search(result.text)
    meaning = _AD_REASONS.get(match[1], "") if match else ""
    return f"{shown(result.code, result.text)} ({meaning})" if meaning else shown(result.code, result.text)
