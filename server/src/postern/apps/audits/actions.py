"""Writes of the audit log. Rows are only appended."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db import connection

from postern.apps.audits import digest
from postern.apps.audits.catalogue import Event
from postern.apps.audits.errors import NotInTransaction
from postern.apps.audits.events import AuditEventsAppended
from postern.apps.audits.models import Action, AuditChain, AuditEvent, LoginLog, LoginType, MfaState, PasswordChangeLog
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database.prepared import PreparedObjects
from postern.foundation.database.row_writes import change, insert
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The content of an event: the action, its object, and the object's values before and after."""

    event: Event
    action: Action
    resource_type: str
    resource_id: str
    resource: str
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An event that waits for the end of a `gathered` block."""

    org_id: UUID
    actor: Actor
    entry: Entry


_waiting: ContextVar[list[_Waiting] | None] = ContextVar("audit events of the present write", default=None)


@contextmanager
def gathered() -> Iterator[None]:
    """Append the events of the block when it ends, one chain after the other in the order of organization ids.

    Must be used inside a transaction. A nested block passes its events to the outer block. Events of a block that
    raises are dropped.
    """
    outer = _waiting.get()
    if outer is not None:
        known = len(outer)
        try:
            yield
        except BaseException:
            del outer[known:]
            raise
        return
    gathered_events: list[_Waiting] = []
    token = _waiting.set(gathered_events)
    try:
        yield
    finally:
        _waiting.reset(token)
    gathered_events.sort(key=lambda event: event.org_id)  # stable sort: events of one chain stay in their order
    for (org_id, actor), some in groupby(gathered_events, key=lambda event: (event.org_id, event.actor)):
        append_events(actor=actor, org_id=org_id, entries=[event.entry for event in some])


def append_event(*, actor: Actor, org_id: UUID, entry: Entry) -> int:
    """Append one event to the chain of `org_id`, in the caller's transaction; returns its sequence number."""
    return append_events(actor=actor, org_id=org_id, entries=[entry])


def append_events(*, actor: Actor, org_id: UUID, entries: Sequence[Entry]) -> int:
    """Append events to the chain of `org_id`, each linked to the previous event, in the caller's transaction.

    Returns the sequence number of the last event. Returns 0 when there is no entry, and inside `gathered`, which
    assigns the numbers when it ends.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction("an audit record must be written in the transaction of the change that it records")
    waiting = _waiting.get()
    if waiting is not None:
        waiting.extend(_Waiting(org_id, actor, entry) for entry in entries)
        return 0
    if not entries:
        return 0
    chain = _locked_chain(org_id)
    who = {
        "actor_kind": actor.kind.value,
        "actor_id": actor.user_id,
        "user": _clip(AuditEvent, "user", actor.label),
        "remote_addr": actor.remote_addr,
        "login_session": actor.login_session,
    }
    rows: list[AuditEvent] = []
    for entry in entries:
        chain.sequence += 1
        row = AuditEvent(
            org_id=org_id,
            sequence=chain.sequence,
            datetime=clock.now(),
            event=entry.event.value,
            action=entry.action.value,
            **who,
            resource_type=_clip(AuditEvent, "resource_type", entry.resource_type),
            resource_id=entry.resource_id,
            resource=_clip(AuditEvent, "resource", entry.resource),
            old=dict(entry.old) if entry.old is not None else None,
            new=dict(entry.new) if entry.new is not None else None,
            previous=chain.digest,
        )
        chain.digest = row.digest = digest.of_event(row)
        rows.append(row)
    insert(rows)
    change([chain], ("sequence", "digest"))
    events.publish(AuditEventsAppended(org_id))
    return chain.sequence


def _locked_chain(org_id: UUID) -> AuditChain:
    chain = _chains().first(org_id=org_id)
    if chain is None:
        AuditChain.objects.get_or_create(org_id=org_id, defaults={"digest": digest.GENESIS})
        chain = AuditChain.objects.select_for_update().get(org_id=org_id)
    return chain


@cache
def _chains() -> PreparedObjects[AuditChain]:
    return PreparedObjects(
        AuditChain,
        lambda org_id: AuditChain.objects.select_for_update().filter(org_id=org_id),
        stand_ins={"org_id": UUID(int=1)},
    )


def _without_zone(address: str | None) -> str | None:
    """Remove the zone: `fe80::1%eth0` is a valid address for the operating system but not for PostgreSQL."""
    return address.partition("%")[0] if address else None


def append_login(
    *,
    actor: Actor,
    username: str,
    login_type: LoginType,
    succeeded: bool,
    reason: str,
    backend: str,
    user_agent: str,
    city: str,
    mfa: MfaState,
) -> LoginLog:
    """Record a sign-in attempt: a row of the login log and its event in the chain of the root organization."""
    row = LoginLog(
        username=_clip(LoginLog, "username", username),
        type=login_type,
        ip=_without_zone(actor.remote_addr),
        city=_clip(LoginLog, "city", city) or None,
        user_agent=_clip(LoginLog, "user_agent", user_agent) or None,
        mfa=mfa,
        reason=_clip(LoginLog, "reason", reason),
        backend=_clip(LoginLog, "backend", backend),
        status=succeeded,
    )
    insert([row])
    append_event(
        actor=actor,
        org_id=ROOT_ORG_ID,
        entry=Entry(
            event=Event.SIGN_IN_SUCCEEDED if succeeded else Event.SIGN_IN_FAILED,
            action=Action.OTHER,
            resource_type="LoginLog",
            resource_id=str(row.pk),
            resource=row.username,
            old=None,
            new=row.covered_values(),
        ),
    )
    return row


def append_password_change(*, actor: Actor, user_label: str) -> PasswordChangeLog:
    """Record that `actor` changed a password."""
    row = PasswordChangeLog.objects.create(user=user_label, change_by=actor.label, remote_addr=actor.remote_addr)
    append_event(
        actor=actor,
        org_id=ROOT_ORG_ID,
        entry=Entry(
            event=Event.USER_PASSWORD_CHANGED,
            action=Action.OTHER,
            resource_type="PasswordChangeLog",
            resource_id=str(row.pk),
            resource=user_label,
            old=None,
            new=row.covered_values(),
        ),
    )
    return row


def storable(text: str) -> str:
    """`text` in a form that every database accepts.

    NUL and lone surrogates, which PostgreSQL refuses, become escapes.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")


def _clip(model: Any, column: str, text: str) -> str:
    limit: int = model._meta.get_field(column).max_length  # noqa: SLF001 - the documented model API
    return storable(text)[:limit]
