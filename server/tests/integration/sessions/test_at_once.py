"""Concurrent requests: an action that may succeed once succeeds once. Uses real transactions."""

import hashlib
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from rest_framework.test import APIClient

from factories.at_once import at_once
from factories.proxy_client import Proxy, World
from postern.apps.audits import queries as audit_queries
from postern.apps.sessions.models import Command, ProxyOrder, Recording, Session, SessionHold
from postern.contracts import events
from postern.contracts.enums import CommandKind, EndReason
from postern.kernel import clock

pytestmark = pytest.mark.django_db(transaction=True)


def test_k18_connection_token_redeemed_concurrently_opens_one_session(
    proxy: Proxy, world: World, as_user: APIClient
) -> None:
    proxy.beat()
    body = {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk)}
    token = as_user.post("/api/v1/authentication/connection-token/", body).json()["token"]
    answers = at_once(*[lambda: proxy.redeem(token, world.user)] * 6)
    assert len(answers) == 6
    assert len([answer for answer in answers if answer.grant is not None]) == 1
    assert Session.objects.count() == 1


def test_credential_requested_concurrently_is_released_once(proxy: Proxy, opened: Session) -> None:
    answers = at_once(*[lambda: proxy.credential(opened.pk)] * 6)
    assert len([answer for answer in answers if answer.credential is not None]) == 1


def test_batches_that_arrive_concurrently_are_stored_once(proxy: Proxy, active: Session) -> None:
    now = clock.now()
    batch = (
        *tuple(
            events.CommandSeen(
                id=uuid4(), session_id=active.pk, at=now, offset_ms=n, kind=CommandKind.ECHO, input=f"echo {n}"
            )
            for n in range(50)
        ),
        events.SessionEnded(session_id=active.pk, at=now, reason=EndReason.USER_CLOSED),
    )
    body = msgspec.json.encode(events.EventBatch(events=batch))
    answers: list[Any] = at_once(*[lambda: proxy.post(events.SESSION_EVENTS, body)] * 4)
    assert [answer.status_code for answer in answers] == [200] * 4
    assert Command.objects.count() == 50
    active.refresh_from_db()
    assert active.end_reason == "user_closed"
    assert list(audit_queries.verify()) == []


def test_concurrent_heartbeats_events_and_terminations_do_not_deadlock(
    proxy: Proxy, world: World, as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as five_minutes_ago:
        then = clock.now() - timedelta(minutes=5)
        five_minutes_ago.setattr(clock, "now", lambda: then)
        grants = [proxy.authorize(world.user, "web-1").grant for _ in range(8)]
    ids = [grant.session_id for grant in grants if grant is not None]
    started = tuple(events.SessionStarted(session_id=session_id, at=clock.now(), kind="shell") for session_id in ids)
    calls: list[Callable[[], object]] = [
        lambda: proxy.tell(*reversed(started)),
        proxy.beat,
        lambda: proxy.beat(*ids),
        lambda: as_org_admin.post(
            "/api/v1/terminal/tasks/kill-session/", [str(session_id) for session_id in ids], format="json"
        ),
    ]
    turns = iter(calls * 2)
    lock = threading.Lock()

    def next_call() -> object:
        with lock:
            call = next(turns)
        return call()

    assert len(at_once(*[next_call] * 8)) == 8
    assert list(audit_queries.verify()) == []
    assert ProxyOrder.objects.count() <= len(ids)


def test_concurrent_uploads_of_the_same_content_leave_one_recording(proxy: Proxy, active: Session) -> None:
    content = b"r" * 200_000
    proxy.seal(active.pk, content)
    answers: list[Any] = at_once(*[lambda: proxy.put(active.pk, content, 0, len(content))] * 4)
    assert {answer.status_code for answer in answers} <= {200, 409}
    recording = Recording.objects.get()
    assert recording.is_playable
    assert recording.sha256 == hashlib.sha256(content).hexdigest()


def test_a_session_locked_twenty_times_at_once_is_locked_once(
    proxy: Proxy, active: Session, as_org_admin: APIClient, audit_events: Callable[[], list[str]]
) -> None:
    url = "/api/v1/terminal/tasks/lock-session/"
    answers: list[Any] = at_once(*[lambda: as_org_admin.post(url, [str(active.pk)], format="json")] * 20)
    assert [answer.json()["ok"] for answer in answers] == [[str(active.pk)]] * 20
    active.refresh_from_db()
    assert (active.is_locked, active.lock_version) == (True, 1)
    assert ProxyOrder.objects.count() == 1
    assert audit_events().count("session.locked") == 1


def test_a_session_put_on_hold_twenty_times_at_once_has_one_hold(
    active: Session, as_org_admin: APIClient, audit_events: Callable[[], list[str]]
) -> None:
    body = {"session": str(active.pk), "reason": "matter 7"}
    answers: list[Any] = at_once(*[lambda: as_org_admin.post("/api/v1/terminal/holds/", body, format="json")] * 20)
    assert [answer.status_code for answer in answers] == [201] * 20
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert SessionHold.objects.count() == 1
    assert audit_events().count("hold.placed") == 1
