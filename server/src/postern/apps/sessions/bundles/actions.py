"""Exports an audit bundle: events between signed checkpoints, sessions with their rows, recordings, signed manifest.

docs/reference/audit-bundle.md describes the format. The stand-alone verifier is part of every bundle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.audits.facade import FaultKind, Position, SignedStatement
from postern.apps.orgs import facade as orgs
from postern.apps.sessions.bundles import rows
from postern.apps.sessions.bundles.archive import Archive
from postern.apps.sessions.bundles.errors import NotExported
from postern.apps.sessions.bundles.recordings import Recordings
from postern.apps.sessions.evidence.verification import missing_among
from postern.contracts import audit_bundle
from postern.contracts.audit_bundle import bundle_verifier
from postern.contracts.recording import TrustedKeys
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

#: Statements between the first and the last that a bundle has at most: they narrow the time at which events existed.
_MOST_STATEMENTS: Final = 1_000
#: Faults that a bundle names; further faults are only counted.
_MOST_FAULTS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to export: a time range, organizations, and sessions (none: all sessions that ran in the time range)."""

    begin: datetime
    end: datetime
    org_ids: tuple[UUID, ...]
    session_ids: tuple[UUID, ...] = ()
    operator: str = ""


@dataclass(frozen=True, slots=True)
class Exported:
    """What a bundle has. `missing`: why recordings are not in it; `faults`: what is not intact."""

    events: int
    sessions: int
    recordings: int
    missing: tuple[str, ...]
    faults: tuple[str, ...]


@dataclass(slots=True)
class _Part:
    """One organization of the bundle. `first` is the position before its first event, `last` that of its last."""

    org_id: UUID
    session_ids: list[UUID]
    #: Sessions that the log names and that are not there.
    absent: list[UUID]
    first: int
    last: int
    #: What is not intact.
    faults: list[str]
    #: The statements around and in the range: the last at or before `first`, up to the first at or after `last`.
    statements: list[SignedStatement] = field(default_factory=list)

    @property
    def is_framed(self) -> bool:
        return bool(self.statements) and self.statements[-1].position.sequence >= self.last

    @property
    def start(self) -> Position:
        """Where the events begin: at the first statement, or at the beginning of the log."""
        first = self.statements[0].position
        return first if first.sequence <= self.first else Position()

    def take(self, statement: SignedStatement) -> None:
        """Keep a statement that belongs to the range. They come oldest first."""
        place = statement.position.sequence
        if place <= self.first:
            self.statements = [statement]
        elif not self.is_framed and (not self.statements or place > self.statements[-1].position.sequence):
            if len(self.statements) >= 2 * _MOST_STATEMENTS:
                self.statements = self.statements[::2]
            self.statements.append(statement)


def export(wanted: Wanted, output: Path) -> Exported:
    """Write a bundle to `output`, which must not exist. The audit log records the export before it is written.

    Raises NotExported; LogBroken when the log is not intact; SettingsError for the signing key.
    """
    with Archive.create(output) as archive:
        parts = [_part(org_id, wanted) for org_id in sorted(wanted.org_ids)]
        known = {key for part in parts for key in part.session_ids + part.absent}
        for key in wanted.session_ids:
            if key not in known:
                raise NotExported(f"there is no session {key} in the organizations of the export")
        _record(wanted, parts)
        try:
            audits.sign_everything()
        except OSError as error:
            raise NotExported(f"the audit log cannot be signed: {error.strerror or error}") from error
        _frame(parts)
        return _write(archive, wanted, parts)


def _part(org_id: UUID, wanted: Wanted) -> _Part:
    keys, absent = rows.session_ids(org_id, wanted.begin, wanted.end, wanted.session_ids)
    first, last = audits.sequence_before(org_id, wanted.begin), audits.last_before(org_id, wanted.end)
    # with the events that record why sessions are absent
    about = audits.span(org_id, [str(key) for key in keys + absent])
    if about is not None:
        first, last = min(first, about[0] - 1), max(last, about[1])
    return _Part(org_id, keys, absent, first, max(last, first, 1), _faults_of_missing(org_id, absent))


def _faults_of_missing(org_id: UUID, keys: Sequence[UUID]) -> list[str]:
    return [f"{FaultKind.SESSION_MISSING}: session {key}" for key in missing_among(org_id, keys)]


def _frame(parts: Sequence[_Part]) -> None:
    """Give the organizations their statements. Raises NotExported when a log has no signed end."""
    by_organization = {part.org_id: part for part in parts}
    for statement in audits.signed_statements():
        if statement.org_id in by_organization:
            by_organization[statement.org_id].take(statement)
    for part in parts:
        if not part.is_framed:
            raise NotExported(
                f"the audit log of {part.org_id} has no signed checkpoint after #{part.last}; run: postern audit verify"
            )


@transaction.atomic
def _record(wanted: Wanted, parts: Sequence[_Part]) -> None:
    for part in parts:
        audits.record(
            actor=SYSTEM,
            org_id=part.org_id,
            event=audits.Event.AUDIT_EXPORTED,
            object_type="AuditEvent",
            new={
                "operator": wanted.operator,
                "from": wanted.begin,
                "to": wanted.end,
                # nothing about other organizations: whoever reads this log may not know them
                "chosen_sessions": sorted({*wanted.session_ids} & {*part.session_ids, *part.absent}),
                "sessions": len(part.session_ids),
                "events": part.last - part.first,
            },
        )


def _write(archive: Archive, wanted: Wanted, parts: Sequence[_Part]) -> Exported:
    key = audits.SigningKey.current()
    folder = Path(audit_bundle.__file__).parent
    archive.add("verify.py", [Path(bundle_verifier.__file__).read_bytes()])
    for name in ("README.md", "README.zh.md"):
        archive.add(name, [(folder / name).read_bytes()])
    for kind, keys in (("audit", audits.audit_keys()), ("recording", TrustedKeys(settings.POSTERN.secrets_dir))):
        for name in keys.ids():
            archive.add(f"keys/{kind}/{name}.pub", [(keys.find(name) or b"").hex().encode() + b"\n"])
    recordings = Recordings(archive)
    organizations = [_write_part(archive, recordings, part) for part in parts]
    faults = [fault for part in parts for fault in part.faults] + recordings.faults
    if len(faults) > _MOST_FAULTS:
        faults[_MOST_FAULTS:] = [f"and {len(faults) - _MOST_FAULTS} more"]
    manifest = bundle_verifier.canonical(
        {
            "version": 1,
            "at": clock.now().isoformat(timespec="seconds"),
            "from": _instant(wanted.begin),
            "to": _instant(wanted.end),
            "key_id": key.key_id,
            "chosen_sessions": [str(session_id) for session_id in wanted.session_ids],
            "organizations": organizations,
            "members": archive.members,
            "missing": [[str(session_id), reason] for session_id, reason in recordings.missing.items()],
            "faults": faults,
        }
    )
    if len(manifest) > bundle_verifier.MAX_MANIFEST or len(archive.members) > bundle_verifier.MAX_MEMBERS - 2:
        raise NotExported("there are too many recordings for one bundle; export a shorter time or fewer organizations")
    archive.add("manifest.json", [manifest])
    archive.add("manifest.sig", [key.sign(bundle_verifier.BUNDLE + manifest)])
    return Exported(
        events=sum(org["last"] - org["first"] for org in organizations),
        sessions=sum(len(part.session_ids) for part in parts),
        recordings=recordings.count,
        missing=tuple(f"session {session_id}: {reason}" for session_id, reason in recordings.missing.items()),
        faults=tuple(faults),
    )


def _instant(moment: datetime) -> str:
    """A moment as events have theirs, so that the verifier compares texts."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _write_part(archive: Archive, recordings: Recordings, part: _Part) -> dict[str, Any]:
    start, end = part.start, part.statements[-1].position
    folder = f"organizations/{part.org_id}"
    archive.add(f"{folder}/checkpoints.jsonl", [statement.line() for statement in part.statements])
    archive.add(f"{folder}/events.jsonl", _event_lines(part.org_id, start, end))
    sessions = rows.SessionLines(end.sequence)
    archive.add(f"{folder}/sessions.jsonl", sessions.of(part.session_ids))
    part.faults += sessions.faults
    deleted = set(sessions.deleted)
    part.faults += _faults_of_missing(part.org_id, sessions.deleted)
    for key in part.session_ids:
        if key in deleted:
            recordings.missing[key] = "the session was deleted while the export ran"
        else:
            recordings.add(key, sessions.stored.get(key))
    return {
        "org_id": str(part.org_id),
        "name": orgs.name_of(part.org_id),
        "first": start.sequence,
        "last": end.sequence,
    }


def _event_lines(org_id: UUID, start: Position, end: Position) -> Iterator[bytes]:
    position = start
    for link in audits.follow(org_id, start, end.sequence):
        position = link.position
        yield link.line + b"\n"
    if position != end:
        raise NotExported(f"the audit log of {org_id} is not what was signed; run: postern audit verify")
