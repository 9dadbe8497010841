"""Public interface of the audit log for other apps.

    audits.record_change(actor=actor, action="create", target=asset, new={"hostname": "web-1"})
    audits.record(actor=actor, org_id=session.org_id, event=audits.Event.SESSION_ENDED, object_type="Session",
                  object_id=str(session.id), object_name="root@web-1", new={"reason": …})
    audits.record_changes(actor=actor, action="delete", changes=[audits.Change(asset, old=…) for asset in assets])
    audits.record_sign_in(actor=actor, username="ann", succeeded=False, reason="bad_credentials", login_type="W")

All functions need an open transaction: the record is committed together with the change, or not at all. Values of `old`
and `new` must be JSON; UUIDs and instants are converted to text. Never pass a secret: write `"password": "******"`.

The kinds of event are a closed list: `catalogue.Event`. An unknown code raises ValueError, and nothing is written.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.db import models

from postern.apps.audits import (
    actions,
    checkpoint_file,
    checkpoints,
    digest,
    membership,
    public_chain,
    queries,
    verifications,
)
from postern.apps.audits.catalogue import Event
from postern.apps.audits.following import events_behind, heads, last_before, sequence_before
from postern.apps.audits.kinds_by_code import kind_of
from postern.apps.audits.models import OPERATIONS, Action, AuditEvent, LoginType, MfaState
from postern.apps.audits.public_chain import LogBroken, Position
from postern.apps.audits.queries import (
    UNSIGNING,
    Count,
    Fault,
    FaultKind,
    RecordedChange,
    Statement,
    VerificationReport,
    has_any,
    objects_of,
    recorded_change,
    span,
    statements,
    statements_in_sets,
)
from postern.apps.audits.reading import is_of_row
from postern.apps.audits.signed_statements import SignedStatement
from postern.apps.audits.signing_key import SigningKey, trusted_keys
from postern.contracts.recording import TrustedKeys
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest.exchange.trail import Export
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import MASK, Secret

__all__ = [
    "ROOT_ORG_ID",
    "UNSIGNING",
    "ActionName",
    "Change",
    "Count",
    "Event",
    "Fault",
    "FaultKind",
    "LogBroken",
    "Position",
    "RecordedChange",
    "SignedStatement",
    "SigningKey",
    "Statement",
    "VerificationReport",
    "audit_keys",
    "audit_organizations",
    "events_behind",
    "follow",
    "has_any",
    "heads",
    "is_of_row",
    "last_before",
    "mac",
    "make_keys",
    "objects_of",
    "operate_events",
    "record",
    "record_change",
    "record_changes",
    "record_export",
    "record_password_change",
    "record_sign_in",
    "recorded_change",
    "sequence_before",
    "sign_everything",
    "signed_statements",
    "span",
    "statements",
    "statements_in_sets",
    "user_labels_in",
    "usernames_in",
    "verify_log",
]

ActionName = Literal["create", "update", "delete", "other"]


def record(
    *,
    actor: Actor,
    org_id: UUID,
    event: Event,
    object_type: str,
    object_id: str = "",
    object_name: str = "",
    action: ActionName = "other",
    old: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
) -> int:
    """Append an event; returns its sequence number in the chain of `org_id`."""
    entry = actions.Entry(
        event=kind_of(event),
        action=Action(action),
        resource_type=object_type,
        resource_id=object_id,
        resource=object_name,
        old=_plain_values(old),
        new=_plain_values(new),
    )
    return actions.append_event(actor=actor, org_id=org_id, entry=entry)


_PAST: dict[str, str] = {"create": "created", "update": "updated", "delete": "deleted", "other": "changed"}


def record_change(
    *,
    actor: Actor,
    action: ActionName,
    target: models.Model,
    old: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
    event: Event | None = None,
) -> None:
    """Append the event of a created, updated or deleted row. Organization, type and name are taken from the row."""
    record_changes(actor=actor, action=action, changes=[Change(target, old, new)], event=event)


class Change(NamedTuple):
    """One changed row, with its values before and after. A row whose key is longer than the column of records has
    another id there, its `recorded_id`.
    """

    target: models.Model
    old: Mapping[str, Any] | None = None
    new: Mapping[str, Any] | None = None


def record_changes(*, actor: Actor, action: ActionName, changes: Iterable[Change], event: Event | None = None) -> None:
    """Append one event for each changed row, in their order, with one statement per organization."""
    entries: dict[UUID, list[actions.Entry]] = {}
    for target, old, new in changes:
        meta = target._meta  # noqa: SLF001 - the documented model API
        entry = actions.Entry(
            event=kind_of(event or f"{meta.model_name}.{_PAST[action]}"),
            action=Action(action),
            resource_type=meta.object_name or "",
            resource_id=str(getattr(target, "recorded_id", target.pk)),
            resource=str(target),
            old=_plain_values(old),
            new=_plain_values(new),
        )
        entries.setdefault(getattr(target, "org_id", None) or ROOT_ORG_ID, []).append(entry)
    for org_id, some in entries.items():
        actions.append_events(actor=actor, org_id=org_id, entries=some)


def record_sign_in(
    *,
    actor: Actor,
    username: str,
    succeeded: bool,
    reason: str = "",
    login_type: Literal["W", "T", "U"] = "W",
    backend: str = "",
    user_agent: str = "",
    city: str = "",
    mfa: int = 2,
) -> None:
    """Append a sign-in attempt to the login log.

    The address is the actor's; the actor of a failed attempt is anonymous.
    """
    actions.append_login(
        actor=actor,
        username=username,
        login_type=LoginType(login_type),
        succeeded=succeeded,
        reason=reason,
        backend=backend,
        user_agent=user_agent,
        city=city,
        mfa=MfaState(mfa),
    )


def record_password_change(*, actor: Actor, user_label: str) -> None:
    """Append to the password change log. `user_label` is `Name(username)` of the user whose password was changed."""
    actions.append_password_change(actor=actor, user_label=user_label)


def record_export(export: Export) -> None:
    """Append that the actor exported rows of a resource. `new` holds their number, the file format and the query."""
    record(
        actor=export.actor,
        org_id=export.scope.org_id,
        event=kind_of(f"{export.resource.lower()}.exported"),
        object_type=export.resource,
        object_name=f"{export.rows} × {export.resource}",
        new={"rows": export.rows, "kind": export.kind, "format": export.file_format, "query": export.query},
    )


def mac(text: str) -> str:
    """The MAC of a text under the log's key, for proofs of rows that the log covers; 64 hex digits."""
    return digest.of_text(text)


def verify_log() -> VerificationReport:
    """Verify the integrity of every chain, of the rows that the log covers, and of the checkpoints."""
    return queries.verify_log()


def sign_everything() -> None:
    """Write a checkpoint that covers every event so far. Raises OSError, SettingsError."""
    SigningKey.current()  # a checkpoint is also written without a usable key
    checkpoints.write_all()


def signed_statements() -> Iterator[SignedStatement]:
    """The signed statements about all organizations, oldest first."""
    return checkpoint_file.signed()


def follow(org_id: UUID, start: Position, until: int) -> Iterator[public_chain.Link]:
    """The events behind a position as lines of the public chain. Raises LogBroken when they are not intact."""
    return public_chain.follow(org_id, start, until)


def make_keys() -> None:
    """Make the keys of the log, unless they exist: before several processes need them. Raises SettingsError, OSError."""
    digest.of_text("")
    SigningKey.current()


def audit_keys() -> TrustedKeys:
    """The public keys that have signed checkpoints and exports here."""
    return trusted_keys()


def _plain_values(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if values is None else {str(key): _plain(value) for key, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Secret):
        return MASK
    if value is None or isinstance(value, bool | int):
        return value
    # compare as text, because databases do not return every number exactly as it was written
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return actions.storable(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return _plain_values(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, models.Model):
        return str(value.pk)
    return str(value)


def audit_organizations(actor: Actor, scope: OrgScope) -> list[UUID]:
    """Organizations whose events the actor may read in a scope, including the root organization.

    Events without an organization (users, sign-ins, settings) need the right to see all organizations. They are listed
    in the global organization, and in the default organization together with its own events.
    """
    if scope.is_root:
        return queries.organizations_in_log() if actor.is_super_auditor else []
    if not actor.is_org_auditor:
        return []
    return [scope.org_id, ROOT_ORG_ID] if scope.is_default and actor.is_super_auditor else [scope.org_id]


def known_faults(actor: Actor, scope: OrgScope) -> int:
    """Number of faults that the last verification found in the log that the actor may read."""
    is_all = scope.is_root and actor.is_super_auditor
    result = verifications.standing(None if is_all else audit_organizations(actor, scope)).result
    return result.faults if result is not None else 0


def operate_events(actor: Actor, scope: OrgScope) -> models.QuerySet[AuditEvent]:
    """Events of the operate log that the actor may see.

    Events without an organization (users, settings) are in the root's chain. Actors who may see all organizations find
    them in the default organization too.
    """
    rows = AuditEvent.objects.filter(action__in=OPERATIONS)
    if scope.is_default and actor.is_super_auditor:
        return rows.filter(org_id__in=(scope.org_id, ROOT_ORG_ID))
    visible: models.QuerySet[AuditEvent] = rows.visible_to(actor, scope)
    return visible


def usernames_in(scope: OrgScope) -> models.QuerySet[Any] | None:
    """Usernames whose sign-ins the scope may list; None means all users (root and default organization)."""
    return None if scope.is_root or scope.is_default else membership.MEMBERS.value.usernames(scope)


def user_labels_in(scope: OrgScope) -> models.QuerySet[Any] | None:
    """The same users as `Name(username)`."""
    return None if scope.is_root or scope.is_default else membership.MEMBERS.value.labels(scope)
