"""Periodic tasks for sessions: closed accounts, withdrawn permissions, anchors, old tokens."""

from typing import Final

from celery import shared_task

from postern.apps.sessions.sessions.actions import revocation, sealing, tokens
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.parts.schedule import every

_ACCOUNTS_S: Final = 4.0
_PERMISSIONS_S: Final = 5.0
_PURGE_S: Final = 3600.0
_ANCHORS_S: Final = 60.0


@shared_task(name="postern.apps.sessions.tasks.sweep_accounts")  # type: ignore[untyped-decorator]  # celery has no types
def sweep_accounts() -> int:
    """End sessions of closed accounts and ended sign-ins, in case an event was lost (K40: what ends, ends everywhere
    within seconds).
    """
    return revocation.sweep_accounts(actor=SYSTEM)


@shared_task(name="postern.apps.sessions.tasks.sweep_permissions")  # type: ignore[untyped-decorator]  # celery has no types
def sweep_permissions() -> int:
    """Decide again about every live session: for lost events, and for permissions that begin or end by date."""
    return revocation.sweep_permissions(actor=SYSTEM)


@shared_task(name="postern.apps.sessions.tasks.purge_tokens")  # type: ignore[untyped-decorator]  # celery has no types
def purge_tokens() -> int:
    """Delete old tokens."""
    return tokens.purge_tokens()


@shared_task(name="postern.apps.sessions.tasks.anchor_running_sessions")  # type: ignore[untyped-decorator]  # celery has no types
def anchor_running_sessions() -> int:
    """Record the heads of running sessions' chains in the audit log."""
    return sealing.anchor_running()


BEAT: Final = {
    "sessions: closed accounts": every(sweep_accounts, _ACCOUNTS_S),
    "sessions: withdrawn permissions": every(sweep_permissions, _PERMISSIONS_S),
    "sessions: anchors": every(anchor_running_sessions, _ANCHORS_S),
    "sessions: old tokens": every(purge_tokens, _PURGE_S),
}
