"""What is asked of each call: one function for each proof, which answers what is wrong (nothing: an empty list)."""

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.test import TestCase

from postern.apps.audits.models import AuditEvent
from writes.case import Again, Told, Values, Write, filled
from writes.database import Snapshot, differences, failing_at, snapshot, table_names, watched
from writes.preparations import MARK, PRIVATE_KEY
from writes.trial import Trial, prepared, undone
from writes.world import World

TABLES_OF_THE_LOG = frozenset({"audits_auditevent", "audits_chain", "audits_loginlog", "audits_passwordchangelog"})
#: A lock that counts: every write of the tree takes it before it knows whether there is something to change.
COUNTED_LOCK = frozenset({"assets_treeversion"})
_KEY_LINES = tuple(line for line in PRIVATE_KEY.splitlines() if len(line) > 40)
_CODE = re.compile(r"\d{6}")


def is_told(write: Write, world: World) -> list[str]:
    """Exactly the records that the table names, each with who, from where, what to what, and both values."""
    with undone():
        trial = prepared(write, world)
        tables = table_names()
        before, known = snapshot(tables), set(AuditEvent.objects.values_list("pk", flat=True))
        answer = trial.call()
        if answer.status_code != write.status:
            return [f"{answer.status_code} {answer.content[:300]!r}"]
        found = list(AuditEvent.objects.exclude(pk__in=known))
        changed = set(differences(before, snapshot(tables)))
        if write.is_silent:
            return [f"changes {changed}"] if changed else []
        if write.untold:
            return [] if changed == write.marks else [f"changes {changed}"]
        faults = _unmatched(write.told, found, trial.values)
        return faults if changed - TABLES_OF_THE_LOG else [*faults, *_only_told(write)]


def _only_told(write: Write) -> list[str]:
    """Looking and testing is no writing, but some of it is told."""
    looks = {"replay.verified", "command.confirmation_refused", "settings.mail_tested", "settings.provider_tested"}
    looks |= {
        "settings.ldap_tested",
        "settings.ldap_sign_in_tested",
        "webhook.tested",
        "settings.syslog_tested",
        "storage.tested",
    }
    return [] if {told.event for told in write.told} <= looks else ["tells of a change, and changes nothing"]


def _unmatched(wanted: Sequence[Told], found: list[AuditEvent], values: Values) -> list[str]:
    left, faults = list(found), list[str]()
    for told in wanted:
        # Of several records of one kind the one that says most of what is wanted.
        left.sort(key=lambda event: len(_differing(told, event, values)), reverse=True)
        differing = _differing(told, left[-1], values) if left else ["there is no record"]
        if left:
            left.pop()
        faults += [f"{told.event} of {told.name}: {text}" for text in differing]
    return faults + [f"one record more: {event.event} {event.resource} {event.old} → {event.new}" for event in left]


def _differing(told: Told, event: AuditEvent, values: Values) -> list[str]:
    wanted = {
        "event": told.event,
        "action": told.action,
        "resource_type": told.kind,
        "resource": told.name if "{any}" in told.name else filled(told.name, values),
        "user": told.user,
        "remote_addr": told.address,
        "org_id": filled(told.org, values),
    }
    faults = [
        f"{name} is {getattr(event, name)!r}, not {value!r}"
        for name, value in wanted.items()
        if not _is_like(str(value), str(getattr(event, name)))
    ]
    for name in ("old", "new"):
        faults += _differing_values(name, filled(getattr(told, name), values), getattr(event, name), whole=told.whole)
    return faults


def _is_like(wanted: str, found: str) -> bool:
    return re.fullmatch(re.escape(wanted).replace(re.escape("{any}"), ".+"), found) is not None


def _differing_values(name: str, wanted: Any, found: Mapping[str, Any] | None, *, whole: bool) -> list[str]:
    held, expected = dict(found or {}), dict(wanted or {})
    faults = [
        f"{name}.{key} is {held.get(key)!r}, not {value!r}" for key, value in expected.items() if held.get(key) != value
    ]
    extra = set(held) - set(expected)
    return [*faults, f"{name} has {extra} too"] if extra and (whole or wanted is None) else faults


def keeps_secrets(write: Write, world: World, logged: list[logging.LogRecord]) -> list[str]:
    """No secret of the call or of its answer is in a table, the outbox or the log; none that was sent comes back."""
    with undone():
        trial = prepared(write, world)
        logged.clear()
        with TestCase.captureOnCommitCallbacks(execute=True), _logging_everything():
            answer = trial.call()
        sent = _sent(write, trial)
        once = _shown_once(write, answer)
        if write.shown_once and not once:
            return [f"shows nothing in {write.shown_once}: {answer.content[:200]!r}"]
        tables = snapshot([table for table in table_names() if table not in write.holds])
        lines = [_line(record) for record in logged]
        body = b"" if answer.streaming else answer.content
        faults = [
            f"the answer holds {text!r}"
            for text in sent
            if text in body.decode("utf-8", "replace") and text not in once
        ]
        for text in {*sent, *once}:
            faults += [f"{table} holds {text!r}" for table, rows in tables.items() if _stands_in(text, rows)]
            faults += [f"the log holds {text!r}: {line[:200]}" for line in lines if text in line]
        return faults


@contextmanager
def _logging_everything() -> Iterator[None]:
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.setLevel(level)


def _line(record: logging.LogRecord) -> str:
    shown = {name: value for name, value in vars(record).items() if name not in {"request", "msg", "args"}}
    return f"{record.getMessage()} {shown}"


def _sent(write: Write, trial: Trial) -> set[str]:
    """The secrets of a call: the mark, the lines of the private key, codes, tokens, its Authorization header."""
    body = filled(write.body, trial.values)
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else json.dumps(body, default=str)
    found = {MARK} if MARK in text else set()
    found |= {line for line in _KEY_LINES if line in text}
    if isinstance(body, dict):
        found |= {str(body[name]) for name in ("code", "token", "old_password") if name in body}
    authorization = str(trial.client.defaults.get("HTTP_AUTHORIZATION", ""))
    return found | ({authorization.rpartition(".")[2].rpartition(" ")[2]} if authorization else set())


def _shown_once(write: Write, answer: Any) -> set[str]:
    found: set[str] = set()
    for path in write.shown_once:
        if path == "*pem":
            found |= {line for line in answer.content.decode().splitlines() if len(line) > 40}
            continue
        values: list[Any] = [answer.json()]
        for name in path.split("."):
            values = [one for value in values for one in (value if name == "*" else [value.get(name)])]
        found |= {str(value).rpartition("#")[2] for value in values if value}
    return found


def _stands_in(text: str, rows: Sequence[tuple[Any, ...]]) -> bool:
    """Six digits stand in many an id by chance: of a code only whole texts count, and words of JSON."""
    if _CODE.fullmatch(text):
        whole = re.compile(rf"(?<![\w.:-]){text}(?![\w.:-])")
        return any(
            whole.search(value) for row in rows for value in row if isinstance(value, str) and len(value) < 5_000
        )
    raw = text.encode()
    return any(
        (isinstance(value, str) and text in value) or (isinstance(value, bytes) and raw in value)
        for row in rows
        for value in row
    )


def is_atomic(write: Write, world: World) -> list[str]:
    """Whichever statement of the call fails, those of the audit log among them: the answer says so and nothing remains."""
    statements: list[str] = []
    faults: list[str] = []
    with undone():
        trial = prepared(write, world)
        tables = [table for table in table_names() if table not in write.marks]
        before = snapshot(tables)
        with undone(), watched(statements):
            trial.call()
        if write.told and "audits_auditevent" not in statements:
            faults.append("no record is inserted")
        for number, table in enumerate(statements):
            if table in write.marks:
                continue
            tried: list[str] = []
            with undone():
                with watched(tried), failing_at(number):
                    answer = trial.call()
                compared = _compared(tables, {*statements, *tried})
                faults += [
                    f"write {number}, {table}: {text}"
                    for text in _remains(
                        answer,
                        {name: before[name] for name in compared},
                        snapshot(compared),
                        page=write.method == "GET",
                    )
                ]
    return faults


def _compared(tables: list[str], written: set[str]) -> list[str]:
    """The tables that are read after a failure: all on SQLite, and on PostgreSQL those that the call writes to.

    Which tables a call writes to does not depend on the database, and reading all took longer than the calls.
    """
    return tables if connection.vendor == "sqlite" else [table for table in tables if table in written]


#: Status and fields of the answer to a failure: of the API, and of a page.
_CLEAR = {(503, ("code", "detail")), (500, ("error",))}


def _remains(answer: Any, before: Snapshot, after: Snapshot, *, page: bool) -> list[str]:
    faults = [f"{table} is changed: {rows}" for table, rows in differences(before, after).items()]
    body = answer.json() if answer["Content-Type"].startswith("application/json") else {}
    clear = (answer.status_code, tuple(sorted(body))) in _CLEAR and (answer.status_code == 503 or page)
    if not clear or "disk" in json.dumps(body):
        faults.append(f"the answer is {answer.status_code} {answer.content[:200]!r}")
    return faults


def is_idempotent(write: Write, world: World) -> list[str]:
    """The same call once more changes nothing and tells nothing."""
    if write.again is Again.ACTS or write.is_silent:
        return []
    with undone():
        trial = prepared(write, world)
        trial.call()
        tables = [table for table in table_names() if table not in write.marks | COUNTED_LOCK]
        before = snapshot(tables)
        answer = trial.call()
        wanted = {write.status} if write.again is Again.SAME else {400, 404, 409}
        faults = [] if answer.status_code in wanted else [f"answers {answer.status_code} {answer.content[:200]!r}"]
        changed = differences(before, snapshot(tables))
        if write.again is Again.GONE:  # that somebody tried what is over may be told, and counted
            changed = {table: rows for table, rows in changed.items() if table not in TABLES_OF_THE_LOG}
        return [*faults, *(f"{table} is changed: {rows}" for table, rows in changed.items())]
