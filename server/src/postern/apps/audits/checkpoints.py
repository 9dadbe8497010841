"""Checkpoints of the chains, stored outside the database: one JSON line each, in a file that only grows.

A line has the head of every chain and a MAC. An attacker with full access to the database could delete the newest events
and reset the head of the chain; the last checkpoint still records the longer chain.

A line also has signed statements: the position in the public chain of each organization that has grown (`public_chain`),
and of every organization in the first line of a day. Whoever has the public key can check the statements without a secret.
A log that lacks a head of a former line was set back or altered; its organization gets no further statement.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from postern.apps.audits import checkpoint_file, public_chain, reading, signed_statements, witness
from postern.apps.audits.checkpoint_file import Checkpoint, Head
from postern.apps.audits.models import AuditChain
from postern.apps.audits.public_chain import LogBroken, Position
from postern.apps.audits.signed_statements import SignedStatement
from postern.apps.audits.signing_key import SigningKey
from postern.kernel import clock
from postern.kernel.errors import SettingsError

log = logging.getLogger(__name__)

_DAY: Final = len("2026-11-30")
#: Events that one checkpoint chains, of all organizations together, so that the first one on a large log ends in time.
_MOST_EVENTS: Final = 200_000

Statements = Mapping[UUID, SignedStatement]


def write(most: int = _MOST_EVENTS, *, wait: bool = False) -> bool:
    """Append a checkpoint if any chain has grown since the last checkpoint, or the statements are behind.

    At most `most` further events are stated. Nothing is written while another process writes, unless `wait` is set.
    No lock of the database is held. Raises OSError when the file cannot be written.
    """
    try:
        with checkpoint_file.opened(wait=wait) as file:
            chains = {chain.org_id: (chain.sequence, chain.digest) for chain in AuditChain.objects.order_by("org_id")}
            last, known = next(checkpoint_file.from_end(file), None), checkpoint_file.newest_statements(file)
            lost = _lost(checkpoint_file.former_heads(file), chains)
            stated = _stated({key: head for key, head in chains.items() if key not in lost}, known, most)
            if not chains or (last is not None and (last.heads, last.lost, known) == (chains, lost, stated)):
                return False
            at = clock.now().isoformat(timespec="seconds")
            is_full = last is None or last.at[:_DAY] != at[:_DAY]
            new = {org_id: statement for org_id, statement in stated.items() if known.get(org_id) != statement}
            checkpoint_file.append(file, Checkpoint(at, chains, stated if is_full else new, is_full, lost).line())
    except BlockingIOError:
        log.info("another process is writing a checkpoint")
        return False
    witness.tell([new[org_id] for org_id in sorted(new)])
    return True


def write_all() -> None:
    """Write checkpoints until every event so far is stated, or no further event can be. Waits for other writers.

    Each checkpoint is of limited size, so that the periodic checkpoints of other processes are not held up.
    """
    goal = dict(AuditChain.objects.order_by().values_list("org_id", "sequence"))
    former, behind = None, _behind(goal)
    while behind and behind != former:
        write(wait=True)
        former, behind = behind, _behind(goal)


def _behind(goal: Mapping[UUID, int]) -> dict[UUID, int]:
    """The stated positions of the organizations whose statements are behind the goal."""
    stated = checkpoint_file.last_statements()
    positions = {org_id: stated[org_id].position.sequence if org_id in stated else 0 for org_id in goal}
    return {org_id: position for org_id, position in positions.items() if position < goal[org_id]}


def _lost(former: Mapping[UUID, Iterable[Head]], chains: Mapping[UUID, Head]) -> dict[UUID, frozenset[Head]]:
    """The heads of former checkpoints that the log does not have."""
    lost = {}
    for org_id, heads in former.items():
        end = chains.get(org_id, (0, ""))[0]
        try:
            there = public_chain.digests_at(org_id, [sequence for sequence, _ in heads if sequence <= end])
        except Exception as error:
            if reading.is_of_database(error):  # no log has lost anything, and the next run tries again
                raise
            log.exception("the audit log of %s cannot be read; nothing of it is signed", org_id)
            there = {}
        gone = frozenset(head for head in heads if head[0] and there.get(head[0]) != head[1])
        if gone:
            log.error(
                "the audit log of %s does not have #%d of a former checkpoint; nothing is signed", org_id, max(gone)[0]
            )
            lost[org_id] = gone
    return lost


def _stated(chains: Mapping[UUID, Head], known: Statements, most: int) -> dict[UUID, SignedStatement]:
    """The statements of the next line. A chain that is not intact keeps the statement that it has: two statements that
    contradict each other are never signed. Short backlogs come first, so that a long one delays no other.
    """
    stated = dict(known)
    try:
        key = SigningKey.current()
    except (OSError, SettingsError):
        log.exception("the signing key cannot be used, so the checkpoint is not signed")
        return stated
    at = clock.now().isoformat(timespec="seconds")
    former = {key: known[key].position if key in known else Position() for key in chains}
    for org_id in sorted(chains, key=lambda org_id: chains[org_id][0] - former[org_id].sequence):
        until = min(chains[org_id][0], former[org_id].sequence + most)
        try:
            position = _followed(org_id, former[org_id], until, chains[org_id])
        except LogBroken as error:
            log.error("nothing is signed: %s", error.message)  # noqa: TRY400 - no trace wanted
            continue
        except Exception as error:
            if reading.is_of_database(error):
                raise
            # One damaged log must not stop the checkpoints of the others.
            log.exception("the audit log of %s cannot be read; nothing of it is signed", org_id)
            continue
        if position != former[org_id]:
            most -= position.sequence - former[org_id].sequence
            stated[org_id] = signed_statements.sign(key, org_id, at, position)
    return stated


def _followed(org_id: UUID, start: Position, until: int, head: Head) -> Position:
    """The position after the events up to `until`. Raises LogBroken when the log is not intact there."""
    position = start
    for link in public_chain.follow(org_id, start, until):
        position = link.position
    if head[0] < position.sequence or (head[0] == position.sequence and head[1] != position.digest):
        raise LogBroken(f"the head of the audit log of {org_id} is not its last event; run: postern audit verify")
    return position
