"""Proofs over the rows that are evidence: how they are made, and the columns of sessions and refused requests.

Rows of a session form a chain of their own: each has a number, and a proof over its columns and the proof before it. What
was fixed when a session began, and its final state with the end of that chain, stand in the audit chain. The proofs need
the key of the audit log, which is outside the database: who can write there can destroy rows, but not make ones that fit.

A proof begins with the version of the column list it was made with, so that columns can be added later: add a list
to the table's tuple, and never change a list that was released.
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

    `prefix`: of the columns that hold place and proof, where a row has two of them.
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


#: What a session is, from its first moment on: columns by version.
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
#: How it ended.
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
SESSION_FIXED: Final = Covered(Session, (_FIXED_1, _FIXED_2, _FIXED_3), {})
SESSION_FINAL: Final = Covered(
    Session,
    ((*_FIXED_1, *_END), (*_FIXED_2, *_END), (*_FIXED_3, *_END)),
    {
        "terminal_id": "emptied when the terminal is deleted; the audit log names it",
        "epoch": "only decides whether a session still gets its credential; says nothing about what was done",
        "release_attempt": "only decides whether a lost answer is given again; says nothing about what was done",
        "evidence_anchored": "only says when the next anchor is due; the anchors stand in the audit log",
    },
)


#: What every row of a chain leaves out of its proof.
PLACE_AND_PROOF: Final = {"number": "stands in the proof as the place", "proof": "is the proof"}
REFUSALS: Final = Covered(RefusedRequest, (("id", "session_id", "request", "detail", "at"),), PLACE_AND_PROOF)


def row_proof(
    covered: Covered, values: Sequence[Any], *, number: int, previous: str, version: int | None = None
) -> str:
    """The proof of a row at `number`, after the row with the proof `previous`. `values`: as the version lists them."""
    return _proof(covered, values, version, [number, previous])


def proof_of(covered: Covered, row: models.Model, version: int | None = None) -> str:
    """The proof of a row that stands for itself, as a session does."""
    names = covered.versions[-1 if version is None else version]
    return _proof(covered, [getattr(row, name) for name in names], version, [])


def version_of(proof: str) -> int | None:
    """The version that a stored proof names; None for a text that is none."""
    text, colon, _mac = proof.partition(":")
    return int(text) if colon and text.isascii() and text.isdigit() and len(text) < 4 else None


def current_values(covered: Covered, row: models.Model) -> list[Any]:
    """The covered columns of a row, as the present version lists them."""
    return [getattr(row, name) for name in covered.versions[-1]]


def _proof(covered: Covered, values: Sequence[Any], version: int | None, place: list[Any]) -> str:
    number = len(covered.versions) - 1 if version is None else version
    table = covered.model._meta.db_table  # noqa: SLF001 - the documented model API
    text = json.dumps(
        [covered.prefix + table, number, *place, *map(_plain, values)],
        separators=(",", ":"),
        ensure_ascii=False,
        sort_keys=True,
    )
    return f"{number}:{audits.mac(text)}"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value) if isinstance(value, UUID) else value
