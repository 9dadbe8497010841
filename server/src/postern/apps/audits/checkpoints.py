"""Checkpoints of the chains, stored outside the database: one JSON line each, in a file that only grows.

A line has the head of every chain and a MAC. An attacker with full access to the database could delete the newest events
and reset the head of the chain; the last checkpoint still records the longer chain.

A line also has a signed statement for each organization: the position of its public chain (`public_chain`). Whoever has the
public key can check the statements without a secret. Lines of earlier versions have no statements and stay valid.
"""

import contextlib
import fcntl
import json
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import UUID

from django.conf import settings

from postern.apps.audits import digest, public_chain, signed_statements
from postern.apps.audits.models import AuditChain
from postern.apps.audits.public_chain import LogBroken, Position
from postern.apps.audits.signed_statements import SignedStatement
from postern.apps.audits.signing_key import SigningKey
from postern.kernel import clock
from postern.kernel.ids import same

log = logging.getLogger(__name__)

_PIECE: Final = 65_536
#: Events of one organization that a periodic checkpoint chains, so that the first one on a large log ends in time.
_MOST_EVENTS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The heads of the chains: organization → (sequence, digest), and the signed statements of the organizations."""

    heads: Mapping[UUID, tuple[int, str]]
    statements: Mapping[UUID, SignedStatement] = field(default_factory=dict)


def path() -> Path:
    """Path of the checkpoint file."""
    folder: Path = settings.POSTERN.home / "audit"
    return folder / "checkpoints.jsonl"


def write(most: int | None = _MOST_EVENTS) -> bool:
    """Append a checkpoint if any chain has grown since the last checkpoint, or the statements are behind.

    At most `most` further events of each organization are stated; None for all.
    """
    with _opened() as file:
        chains = list(AuditChain.objects.order_by("org_id"))
        heads = {chain.org_id: (chain.sequence, chain.digest) for chain in chains}
        last = next(_from_end(file), None)
        known = last.statements if last is not None else {}
        stated = _stated(chains, known, most)
        if not heads or (last is not None and (last.heads, known) == (heads, stated)):
            return False
        line: dict[str, Any] = {
            "at": clock.now().isoformat(timespec="seconds"),
            "heads": {str(org_id): list(head) for org_id, head in heads.items()},
        }
        if stated:
            line["public"] = {str(org_id): statement.stored() for org_id, statement in stated.items()}
        line["mac"] = digest.of_text(_canonical(line))
        _append(file, json.dumps(line, sort_keys=True).encode() + b"\n")
    signed_statements.tell_witness([stated[key] for key in sorted(stated) if stated[key] != known.get(key)])
    return True


def read() -> Iterator[Checkpoint | None]:
    """All checkpoints, oldest first; None for each altered line."""
    try:
        with path().open("rb") as file:
            for line in file:
                yield _parse(line)
    except FileNotFoundError:
        return


def signed(org_id: UUID) -> Iterator[SignedStatement]:
    """The different statements about an organization, oldest first. Altered lines are left out."""
    last: SignedStatement | None = None
    for checkpoint in read():
        statement = checkpoint.statements.get(org_id) if checkpoint is not None else None
        if statement is not None and statement != last:
            last = statement
            yield statement


def last_statements() -> Mapping[UUID, SignedStatement]:
    """The newest statement about each organization, of the newest intact line."""
    try:
        with path().open("rb") as file:
            last = next(_from_end(file), None)
    except FileNotFoundError:
        last = None
    return last.statements if last is not None else {}


def _stated(
    chains: list[AuditChain], known: Mapping[UUID, SignedStatement], most: int | None
) -> dict[UUID, SignedStatement]:
    """The statements of the next line. A chain that is not intact keeps the statement that it has: two statements that
    contradict each other are never signed.
    """
    key = SigningKey.current()
    stated = dict(known)
    at = clock.now().isoformat(timespec="seconds")
    for chain in chains:
        former = known.get(chain.org_id)
        position = former.position if former is not None else Position()
        until = chain.sequence if most is None else min(chain.sequence, position.sequence + most)
        try:
            for link in public_chain.follow(chain.org_id, position, until):
                position = link.position
            if chain.sequence < position.sequence or (
                chain.sequence == position.sequence and chain.digest != position.digest
            ):
                log.error("the head of the audit log of %s is behind its checkpoint; nothing is signed", chain.org_id)
                continue
        except LogBroken as error:
            log.error("nothing is signed: %s", error.message)  # noqa: TRY400 - no trace wanted
            continue
        if position.sequence and (former is None or position.sequence > former.position.sequence):
            stated[chain.org_id] = signed_statements.sign(key, chain.org_id, at, position)
    return stated


@contextlib.contextmanager
def _opened() -> Iterator[BinaryIO]:
    """The file, locked against a second writer."""
    path().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path(), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "a+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _append(file: BinaryIO, line: bytes) -> None:
    """Append a line as a whole: what a full disk left of it is removed."""
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":  # the rest of a write that was killed
            line = b"\n" + line
    try:
        left = memoryview(line)
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())
    except OSError:
        file.truncate(size)
        raise


def _from_end(file: BinaryIO) -> Iterator[Checkpoint]:
    """The intact checkpoints, newest first."""
    for line in _lines_from_end(file):
        checkpoint = _parse(line)
        if checkpoint is not None:
            yield checkpoint


def _lines_from_end(file: BinaryIO) -> Iterator[bytes]:
    place, rest = file.seek(0, os.SEEK_END), b""
    while place:
        length = min(place, _PIECE)
        place = file.seek(place - length)
        first, *lines = (_read(file, length) + rest).split(b"\n")
        yield from (line for line in reversed(lines) if line)
        rest = first
    if rest:
        yield rest


def _read(file: BinaryIO, length: int) -> bytes:
    data = b""
    while len(data) < length and (piece := file.read(length - len(data))):
        data += piece
    return data


def _parse(text: bytes) -> Checkpoint | None:
    try:
        line = json.loads(text)
        mac = line.pop("mac")
        if not same(mac, digest.of_text(_canonical(line))):
            return None
        return Checkpoint(
            {UUID(org): (int(head[0]), str(head[1])) for org, head in line["heads"].items()},
            {UUID(org): SignedStatement.parse(stored) for org, stored in line.get("public", {}).items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None


def _canonical(line: Mapping[str, Any]) -> str:
    return json.dumps(line, sort_keys=True, separators=(",", ":"))
