"""Writing the log. Only appends exist."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import connection

from postern.apps.audits import digest
from postern.apps.audits.errors import NotInTransaction
from postern.apps.audits.models import Action, AuditChain, AuditEvent, LoginLog, LoginType, MfaState, PasswordChangeLog
from postern.foundation.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID


def append_event(
    *,
    actor: Actor,
    org_id: UUID,
    event: str,
    action: Action,
    resource_type: str,
    resource_id: str,
    resource: str,
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any] | None,
) -> AuditEvent:
    """Append one event to the chain of `org_id`, in the caller's transaction."""
    if not connection.in_atomic_block:
        raise NotInTransaction("an audit row must be written in the transaction of what it tells")
    chain = AuditChain.objects.select_for_update().filter(org_id=org_id).first()
    if chain is None:
        AuditChain.objects.get_or_create(org_id=org_id, defaults={"digest": digest.GENESIS})
        chain = AuditChain.objects.select_for_update().get(org_id=org_id)
    row = AuditEvent(
        org_id=org_id,
        sequence=chain.sequence + 1,
        datetime=clock.now(),
        event=event,
        action=action.value,
        actor_kind=actor.kind.value,
        actor_id=actor.user_id,
        user=_clip(AuditEvent, "user", actor.label),
        remote_addr=actor.remote_addr,
        login_session=actor.login_session,
        resource_type=_clip(AuditEvent, "resource_type", resource_type),
        resource_id=resource_id,
        resource=_clip(AuditEvent, "resource", resource),
        old=dict(old) if old is not None else None,
        new=dict(new) if new is not None else None,
        previous=chain.digest,
    )
    row.digest = digest.of_event(row)
    row.save(force_insert=True)
    chain.sequence, chain.digest = row.sequence, row.digest
    chain.save(update_fields=["sequence", "digest"])
    return row


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
    """One attempt to sign in: a row of the login log and its event in the chain of the root organization."""
    row = LoginLog.objects.create(
        username=_clip(LoginLog, "username", username),
        type=login_type,
        ip=actor.remote_addr,
        city=_clip(LoginLog, "city", city) or None,
        user_agent=_clip(LoginLog, "user_agent", user_agent) or None,
        mfa=mfa,
        reason=_clip(LoginLog, "reason", reason),
        backend=_clip(LoginLog, "backend", backend),
        status=succeeded,
    )
    append_event(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event="sign_in.succeeded" if succeeded else "sign_in.failed",
        action=Action.OTHER,
        resource_type="LoginLog",
        resource_id=str(row.pk),
        resource=row.username,
        old=None,
        new=row.covered_values(),
    )
    return row


def append_password_change(*, actor: Actor, user_label: str) -> PasswordChangeLog:
    """A password was changed by `actor`."""
    row = PasswordChangeLog.objects.create(user=user_label, change_by=actor.label, remote_addr=actor.remote_addr)
    append_event(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event="user.password_changed",
        action=Action.OTHER,
        resource_type="PasswordChangeLog",
        resource_id=str(row.pk),
        resource=user_label,
        old=None,
        new=None,
    )
    return row


def storable(text: str) -> str:
    """`text` as every database keeps it: NUL and lone surrogates, which PostgreSQL refuses, shown as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")


def _clip(model: Any, column: str, text: str) -> str:
    limit: int = model._meta.get_field(column).max_length  # noqa: SLF001 - the documented model API
    return storable(text)[:limit]
