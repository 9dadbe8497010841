"""Proofs of evidence rows: how they are computed, and the columns of sessions and refused requests.

The rows of a session form a chain: each row has a number, and a proof over its columns and the previous row's proof.
The audit chain records the columns that are fixed when a session begins, and its final state with the head of its
chain. The proofs need the key of the audit log, which is stored outside the database. An attacker who can write to the
database can destroy rows, but cannot create rows with valid proofs.

A proof begins with the version of its column list, so that columns can be added later. To add columns, add a list to
the table's tuple; never change a released list.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import models

from postern.apps.audits import facade as audits
from postern.apps.sessions.sessions.models import RefusedRequest, Session

GENESIS: Final = ""


class Covered(NamedTuple):
    """A table of evidence: its column lists by version (the last is in use), and why other columns are left out.

    `prefix`: prefix of the columns that hold position and proof, for tables with two of each.
    """

    model: type[models.Model]
    versions: tuple[tuple[str, ...], ...]
    left_out: dict[str, str]
    prefix: str = ""

    @property
    def number_column(self) -> str:
        return f"{self.prefix}number"

    @property
    def proof_column(self) -> str:
        return f"{self.prefix}proof"


#: The columns that are fixed from the beginning, by version.
_FIXED_1: Final = (
    "id",
    "org_id",
    "user_id",
    "user",
    "username",
    "asset_id",
    "asset",
    "system_user_id",
    "system_user",
    "target_address",
    "protocol",
    "login_from",
    "remote_addr",
    "client",
    "login_session",
    "date_start",
)
_FIXED_2: Final = (*_FIXED_1, "proxy_sign_in")
_FIXED_3: Final = (*_FIXED_2, "credential")
_FIXED_4: Final = (*_FIXED_3, "actor_kind")
#: The columns of the session's end.
_END: Final = (
    "login_name",
    "state",
    "end_reason",
    "end_detail",
    "kind",
    "actions",
    "action_ends",
    "grant_version",
    "is_end_presumed",
    "risk_level",
    "exit_status",
    "bytes_in",
    "bytes_out",
    "ever_active",
    "date_active",
    "date_end",
    "date_expired",
    "date_credential_released",
    "evidence_count",
    "evidence_head",
)
_END_2: Final = (*_END, "via")
SESSION_FIXED: Final = Covered(Session, (_FIXED_1, _FIXED_2, _FIXED_3, _FIXED_4), {})
SESSION_FINAL: Final = Covered(
    Session,
    ((*_FIXED_1, *_END), (*_FIXED_2, *_END), (*_FIXED_3, *_END), (*_FIXED_3, *_END_2), (*_FIXED_4, *_END_2)),
    {
        "terminal_id": "emptied when the terminal is deleted; the audit log names it",
        "epoch": "only decides whether a session still gets its credential; says nothing about what was done",
        "date_gateway_released": "only counts for the limit of the proxy; each release is in the audit log",
        "release_attempt": "only decides whether a lost answer is given again; says nothing about what was done",
        "command_digest": "only decides whether the proxy is notified again; the audit log names the filters",
        "command_version": "only orders the messages to the proxy; the audit log names the filters",
        "is_locked": "says nothing about what was done; each lock is in the audit log, with who locked and unlocked",
        "locked_by": "as is_locked",
        "date_locked": "as is_locked",
        "lock_version": "only orders the messages to the proxy; the audit log has each lock",
        "evidence_anchored": "only says when the next anchor is due; the anchors are in the audit log",
    },
)


#: Columns that are never part of a row's proof.
PLACE_AND_PROOF: Final = {"number": "is part of the proof, as the position", "proof": "is the proof"}
REFUSALS: Final = Covered(RefusedRequest, (("id", "session_id", "request", "detail", "at"),), PLACE_AND_PROOF)


def row_proof(
    covered: Covered, values: Sequence[Any], *, number: int, previous: str, version: int | None = None
) -> str:
    """The proof of a row at `number`, after the row with the proof `previous`.

    `values`: in the order of the version's list.
    """
    return _proof(covered, values, version, [number, previous])


def proof_of(covered: Covered, row: models.Model, version: int | None = None) -> str:
    """The proof of a row outside a chain, such as a session."""
    names = covered.versions[-1 if version is None else version]
    return _proof(covered, [getattr(row, name) for name in names], version, [])


def version_of(proof: str) -> int | None:
    """The version in a stored proof; None when the text is not a proof."""
    text, colon, _mac = proof.partition(":")
    return int(text) if colon and text.isascii() and text.isdigit() and len(text) < 4 else None


def current_values(covered: Covered, row: models.Model) -> list[Any]:
    """The covered columns of a row, in the order of the current version."""
    return [getattr(row, name) for name in covered.versions[-1]]


def _proof(covered: Covered, values: Sequence[Any], version: int | None, place: list[Any]) -> str:
    number = len(covered.versions) - 1 if version is None else version
    text = json.dumps(
        [table_of(covered), number, *place, *map(plain, values)],
        separators=(",", ":"),
        ensure_ascii=False,
        sort_keys=True,
    )
    return f"{number}:{audits.mac(text)}"


def table_of(covered: Covered) -> str:
    """The name of a table in proofs."""
    table: str = covered.model._meta.db_table  # noqa: SLF001 - the documented model API
    return covered.prefix + table


def plain(value: Any) -> Any:
    """A column as JSON."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value) if isinstance(value, UUID) else value
