"""Audits who viewed what. A viewing is in the audit log before its first byte is sent; its end records what was
fetched.

One viewing is one user, with one sign-in (or one access key or token) at one address, viewing one recording. It ends
when nothing was requested for `IDLE`, or when `LIMIT` has passed. However many range requests a player makes, the log
has two records per viewing: its beginning (`replay.opened`), and its end (`replay.fetched`, with the merged byte ranges
and the number of the first record). A download is a viewing of its own, which ends with its transfer.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.viewings import ranges
from postern.apps.sessions.viewings.models import Viewing, ViewingForm
from postern.foundation.caller.actor import Actor, ActorKind
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock, ids

#: A viewing ends after this time without a request, or after this total time. The next request begins a new viewing.
IDLE: Final = timedelta(minutes=15)
LIMIT: Final = timedelta(hours=4)
#: The last use of a viewing is written at most this often.
_TOUCH: Final = timedelta(minutes=1)
_AT_ONCE: Final = 200

_DOWNLOADS: Final = {
    ViewingForm.CAST: audits.Event.REPLAY_EXPORTED,
    ViewingForm.TEXT: audits.Event.REPLAY_EXPORTED,
    ViewingForm.ARCHIVE: audits.Event.REPLAY_DOWNLOADED,
}


def open_replay(*, actor: Actor, recording: Recording) -> None:
    """A user opens the page of a recording: begins a viewing or continues the current viewing."""
    _play(actor, recording, None)


def fetch_range(*, actor: Actor, recording: Recording, first: int, last: int) -> UUID:
    """A user requests bytes `first` to `last`; returns the viewing, for a later call of `sent`."""
    return _play(actor, recording, (first, last))


@transaction.atomic
def begin_download(*, actor: Actor, recording: Recording, form: ViewingForm) -> UUID:
    """A user downloads the whole recording; returns the viewing, for a later call of `sent`."""
    viewing = _new(actor, recording, ids.token_hash(ids.new_token()), form)
    viewing.opened_as = _tell(actor, viewing, _DOWNLOADS[form], {"via": form.value, "size": recording.size})
    viewing.save(force_insert=True)
    return viewing.pk


@transaction.atomic
def sent(*, viewing_id: UUID, form: ViewingForm, first: int, count: int, is_whole: bool) -> None:
    """Record how many bytes from `first` on were sent, whether or not the response completed.

    Ends the viewing of a download.
    """
    viewing = Viewing.objects.select_for_update().filter(pk=viewing_id).first()
    if viewing is None:
        return
    if count > 0:
        viewing.sent = ranges.joined(viewing.sent, first, first + count - 1)
    if form is ViewingForm.PLAY:
        viewing.save(update_fields=["sent"])
    else:
        _close(viewing, is_whole=is_whole)


def look_at_commands(
    *, actor: Actor, org_id: UUID, session_id: UUID | None, title: str, query: Mapping[str, str]
) -> None:
    """A user reads commands. Pages of one list are one viewing; another search is a new viewing."""
    key = _key(actor, f"commands {session_id} {json.dumps(query, sort_keys=True)}")
    now = clock.now()
    known = Viewing.objects.filter(key=key, date_last__gt=now - IDLE, date_opened__gt=now - LIMIT).first()
    if known is not None and now - known.date_last < _TOUCH:
        return

    def begin() -> Viewing:
        viewing = Viewing(
            key=key,
            form=ViewingForm.COMMANDS,
            org_id=org_id,
            session_id=session_id,
            title=title[:256],
            **_who(actor),
        )
        viewing.opened_as = _tell(actor, viewing, audits.Event.COMMANDS_VIEWED, {"query": dict(query)})
        return viewing

    _continue(key, begin, None)


@write_transaction()
def close_idle_viewings() -> int:
    """Record the ends of viewings without recent requests; returns their number."""
    now = clock.now()
    idle = Viewing.objects.select_for_update(skip_locked=False).filter(date_last__lt=now - IDLE).order_by("date_last")
    over = list(idle[:_AT_ONCE])
    for viewing in over:
        _close(viewing)
    return len(over)


def _play(actor: Actor, recording: Recording, span: tuple[int, int] | None) -> UUID:
    key = _key(actor, f"play {recording.session_id}")

    def begin() -> Viewing:
        viewing = _new(actor, recording, key, ViewingForm.PLAY)
        recorded: dict[str, object] = {"via": "content" if span else "page", "size": recording.size}
        viewing.opened_as = _tell(actor, viewing, audits.Event.REPLAY_OPENED, recorded)
        return viewing

    return _continue(key, begin, span)


def _continue(key: str, begin: Callable[[], Viewing], span: tuple[int, int] | None) -> UUID:
    """The current viewing with this key, or a new viewing made by `begin`; adds `span` to the requested ranges."""
    for attempt in (1, 2):
        try:
            with transaction.atomic():
                return _continue_locked(key, begin, span)
        except IntegrityError:  # a concurrent request of the same viewing inserted it first
            if attempt == 2:
                raise
    raise AssertionError


def _continue_locked(key: str, begin: Callable[[], Viewing], span: tuple[int, int] | None) -> UUID:
    now = clock.now()
    viewing = Viewing.objects.select_for_update().filter(key=key).first()
    if viewing is not None and (now - viewing.date_last > IDLE or now - viewing.date_opened > LIMIT):
        _close(viewing)
        viewing = None
    is_new = viewing is None
    if viewing is None:
        viewing = begin()
    if span is not None:
        viewing.asked = ranges.joined(viewing.asked, *span)
    viewing.requests += 1
    viewing.date_last = now
    if is_new:
        viewing.save(force_insert=True)
    else:
        viewing.save(update_fields=["asked", "requests", "date_last"])
    return viewing.pk


def _close(viewing: Viewing, *, is_whole: bool = False) -> None:
    """Record the end and delete the row. `is_whole`: a download was completed."""
    if viewing.form != ViewingForm.COMMANDS:
        _tell(
            _actor_of(viewing),
            viewing,
            audits.Event.REPLAY_FETCHED,
            {"opened_as": viewing.opened_as, **_fetched(viewing, is_whole)},
        )
    viewing.delete()


def _fetched(viewing: Viewing, is_whole: bool) -> dict[str, object]:
    """What was fetched, as the audit record stores it."""
    left = ranges.size_of(viewing.sent)
    recorded: dict[str, object] = {
        "via": viewing.form,
        "size": viewing.size,
        "bytes_sent": left,
        "whole": is_whole,
        "duration_s": int((clock.now() - viewing.date_opened).total_seconds()),
    }
    if viewing.form != ViewingForm.PLAY:
        return recorded
    recorded["whole"] = viewing.sent == [[0, viewing.size - 1]]
    recorded["share_percent"] = round(100 * left / viewing.size) if viewing.size else 100
    recorded["ranges"] = viewing.sent
    recorded["requests"] = viewing.requests
    recorded["duration_s"] = int((viewing.date_last - viewing.date_opened).total_seconds())
    # interrupted, or the server process ended: the requested bytes are the upper bound
    if viewing.asked != viewing.sent:
        recorded["ranges_asked"] = viewing.asked
    return recorded


def _new(actor: Actor, recording: Recording, key: str, form: ViewingForm) -> Viewing:
    session = recording.session
    return Viewing(
        key=key,
        form=form,
        org_id=session.org_id,
        session_id=session.pk,
        title=messages.title(session)[:256],
        size=recording.size,
        **_who(actor),
    )


def _who(actor: Actor) -> dict[str, Any]:
    return {
        "user_id": actor.user_id,
        "username": actor.username,
        "name": actor.name,
        "actor_kind": actor.kind.value,
        "remote_addr": actor.remote_addr,
        "login_session": actor.login_session,
        "credential": actor.credential,
    }


def _actor_of(viewing: Viewing) -> Actor:
    return Actor(
        kind=ActorKind(viewing.actor_kind),
        user_id=viewing.user_id,
        username=viewing.username,
        name=viewing.name,
        remote_addr=viewing.remote_addr,
        login_session=viewing.login_session,
        credential=viewing.credential,
    )


def _key(actor: Actor, what: str) -> str:
    parts = (actor.kind, actor.user_id, actor.login_session, actor.credential, actor.remote_addr, what)
    return hashlib.sha256("\x00".join(map(str, parts)).encode()).hexdigest()


def _tell(actor: Actor, viewing: Viewing, event: audits.Event, new: Mapping[str, object]) -> int:
    by = {"credential": viewing.credential} if viewing.credential else {}
    return audits.record(
        actor=actor,
        org_id=viewing.org_id,
        event=event,
        object_type="Session" if viewing.session_id else "Command",
        object_id=str(viewing.session_id or ""),
        object_name=viewing.title,
        new={**new, **by},
    )
