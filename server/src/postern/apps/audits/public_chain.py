"""The public chain of an organization: SHA-256 over its events, which anybody can check without a secret.

    link(n) = SHA-256(link(n-1) || SHA-256(line(n)))        link(0) = 32 zero bytes

The line of an event is its canonical JSON with its MAC digest. Checkpoints sign the link at a position. Only events whose
MAC and links fit are ever signed.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from postern.apps.audits import digest, reading
from postern.apps.audits.models import AuditEvent
from postern.kernel.errors import PosternError

GENESIS: Final = "0" * 64
#: Below SQLite's limit of parameters per statement.
_AT_ONCE: Final = 500


class LogBroken(PosternError):
    """The events are not those that were written. `postern audit verify` lists every fault."""

    code = "log_broken"


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the chains of an organization: its number of events, the MAC digest of the last, the public link."""

    sequence: int = 0
    digest: str = digest.GENESIS
    chain: str = GENESIS


class Link(NamedTuple):
    """One event as it stands in the public chain."""

    position: Position
    line: bytes


def link_after(chain: str, line: bytes) -> str:
    """The public link after an event."""
    return hashlib.sha256(bytes.fromhex(chain) + hashlib.sha256(line).digest()).hexdigest()


def line_of(event: AuditEvent) -> bytes:
    """The canonical JSON of an event with its MAC digest, without a line end."""
    return digest.canonical(event, (*digest.COVERED, "digest"))


def follow(org_id: UUID, start: Position, until: int) -> Iterator[Link]:
    """The events behind `start` up to the sequence `until`, in constant memory. Each event is proven by its MAC first.

    Raises LogBroken at the first event that is missing or differs from what was written, `start` included.
    """
    if start.sequence and digests_at(org_id, [start.sequence]).get(start.sequence) != start.digest:
        raise _broken(org_id, start.sequence)
    position = start
    for sequence, event in reading.events(org_id, start.sequence, until):
        number = position.sequence + 1
        if event is None or sequence != number or event.previous != position.digest:
            raise _broken(org_id, number)
        if digest.of_event(event) != event.digest:
            raise _broken(org_id, number)
        line = line_of(event)
        position = Position(number, event.digest, link_after(position.chain, line))
        yield Link(position, line)
    if position.sequence < until:
        raise _broken(org_id, position.sequence + 1)


def digests_at(org_id: UUID, sequences: Sequence[int]) -> dict[int, str]:
    """The stored MAC digests of the events at these positions. Positions without an event are left out."""
    there: dict[int, str] = {}
    for start in range(0, len(sequences), _AT_ONCE):
        some = sequences[start : start + _AT_ONCE]
        rows = AuditEvent.objects.filter(org_id=org_id, sequence__in=some)
        there |= dict(rows.order_by().values_list("sequence", "digest"))
    return there


def _broken(org_id: UUID, sequence: int) -> LogBroken:
    return LogBroken(f"the audit log of {org_id} is not intact at #{sequence}; run: postern audit verify")
