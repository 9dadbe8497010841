"""Recording who opens the task monitor."""

from typing import Final

from django.core.cache import cache

from postern.apps.audits import facade as audits
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import ids
from postern.kernel.ids import ROOT_ORG_ID

#: One record for each sign-in and hour of use, however many pages are opened.
_REMEMBERED_S: Final = 3600


def note_opening(*, actor: Actor) -> None:
    """Record that the person looks at the task monitor, before they see anything."""
    key = f"task-monitor:{ids.token_hash(f'{actor.user_id} {actor.login_session} {actor.remote_addr}')}"
    if not _is_new(key):
        return
    try:
        _record(actor)
    except BaseException:
        cache.delete(key)
        raise


def _is_new(key: str) -> bool:
    try:
        return bool(cache.add(key, 1, _REMEMBERED_S))
    except Exception:  # noqa: BLE001 - without Redis each opening is recorded
        return True


@write_transaction()
def _record(actor: Actor) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.TASKMONITOR_OPENED,
        object_type="TaskMonitor",
        object_name="Flower",
    )
