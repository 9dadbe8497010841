"""Locking live sessions and sending their people messages: orders to the proxy, rights, audit, many at once."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from factories.proxy_client import Proxy
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import ProxyOrder, Session
from postern.apps.sessions.sessions.actions import lifecycle
from postern.contracts import events
from postern.contracts.enums import EndReason
from postern.contracts.terminals import ChangeLock, OrderDone, ShowMessage, TerminateSession
from postern.kernel import clock

TASKS = "/api/v1/terminal/tasks/"
SESSIONS = "/api/v1/terminal/sessions/"
LOCK, UNLOCK = f"{TASKS}lock-session/", f"{TASKS}unlock-session/"


def message_url(session: Session) -> str:
    return f"{SESSIONS}{session.pk}/message/"


def audited(*names: str) -> list[tuple[str, Any, Any]]:
    rows = AuditEvent.objects.filter(event__in=names).order_by("sequence")
    return [(row.event, row.old, row.new) for row in rows]


def ended(proxy: Proxy, session: Session) -> None:
    proxy.tell(events.SessionEnded(session_id=session.pk, at=clock.now(), reason=EndReason.USER_CLOSED))


def test_lock_and_unlock_reach_the_proxy_and_are_audited(
    proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    answer = as_org_admin.post(LOCK, [str(active.pk)], format="json")
    assert (answer.status_code, answer.json()) == (200, {"ok": [str(active.pk)], "ended": []})
    row = as_org_admin.get(f"{SESSIONS}{active.pk}/").json()
    assert (row["is_locked"], row["locked_by"], row["date_locked"] is not None) == (True, "Olaf(olaf)", True)
    (order,) = proxy.beat(active.pk).orders
    assert isinstance(order, ChangeLock)
    assert (order.session_id, order.version, order.is_locked, order.by) == (active.pk, 1, True, "Olaf(olaf)")
    assert proxy.beat(active.pk).orders == (order,), "repeated until it is done"
    # Unlocking makes the first order superfluous.
    assert as_org_admin.post(UNLOCK, str(active.pk), format="json").json()["ok"] == [str(active.pk)]
    (order,) = proxy.beat(active.pk).orders
    assert isinstance(order, ChangeLock)
    assert (order.version, order.is_locked) == (2, False)
    row = as_org_admin.get(f"{SESSIONS}{active.pk}/").json()
    assert (row["is_locked"], row["locked_by"], row["date_locked"]) == (False, "", None)
    tasks = as_org_admin.get(TASKS).json()
    assert [(task["name"], task["kwargs"]) for task in tasks] == [
        ("unlock_session", {"unlocked_by": "Olaf(olaf)"}),
        ("lock_session", {"locked_by": "Olaf(olaf)"}),
    ]
    assert audited("session.locked", "session.unlocked") == [
        ("session.locked", None, None),
        ("session.unlocked", {"locked_by": "Olaf(olaf)"}, None),
    ]


def test_locked_twice_is_locked_once_by_the_first(
    proxy: Proxy, active: Session, as_org_admin: APIClient, as_admin: APIClient
) -> None:
    for client in (as_org_admin, as_admin, as_org_admin):
        assert client.post(LOCK, [str(active.pk)], format="json").json()["ok"] == [str(active.pk)]
    active.refresh_from_db()
    assert (active.locked_by, active.lock_version) == ("Olaf(olaf)", 1)
    assert ProxyOrder.objects.count() == 1
    assert len(audited("session.locked")) == 1
    for _ in range(2):
        assert as_admin.post(UNLOCK, [str(active.pk)], format="json").status_code == 200
    assert len(audited("session.unlocked")) == 1


def test_an_ended_session_is_not_locked_and_the_others_are(
    proxy: Proxy, active: Session, as_org_admin: APIClient, world: Any
) -> None:
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    other = Session.objects.get(pk=grant.session_id)
    ended(proxy, active)
    answer = as_org_admin.post(LOCK, [str(active.pk)], format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "session_over")
    answer = as_org_admin.post(LOCK, [str(active.pk), str(other.pk)], format="json")
    assert answer.json() == {"ok": [str(other.pk)], "ended": [str(active.pk)]}
    answer = as_org_admin.post(message_url(active), {"message": "Hello"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "session_over")


def test_a_proxy_that_does_not_know_the_session_yet_is_told_again(
    proxy: Proxy, opened: Session, as_org_admin: APIClient
) -> None:
    as_org_admin.post(LOCK, [str(opened.pk)], format="json")
    as_org_admin.post(message_url(opened), {"message": "Hello"}, format="json")
    orders = proxy.beat(opened.pk).orders
    assert [type(order) for order in orders] == [ChangeLock, ShowMessage]
    for order in orders:
        lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id, found=False))
    assert proxy.beat(opened.pk).orders == orders
    for order in orders:
        lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id))
    assert proxy.beat(opened.pk).orders == ()


def test_a_lock_that_failed_is_repeated_and_a_message_is_not(
    proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    as_org_admin.post(LOCK, [str(active.pk)], format="json")
    as_org_admin.post(message_url(active), {"message": "Hello"}, format="json")
    lock, message = proxy.beat(active.pk).orders
    for order in (lock, message):
        done = OrderDone(order_id=order.order_id, ok=False, detail="RuntimeError")
        lifecycle.order_done(terminal_id=proxy.id, done=done)
    assert proxy.beat(active.pk).orders == (lock,)
    ended(proxy, active)
    assert not ProxyOrder.objects.filter(date_finished__isnull=True).exists()


def test_messages_that_were_not_shown_yet_are_limited(proxy: Proxy, active: Session, as_org_admin: APIClient) -> None:
    for number in range(20):
        answer = as_org_admin.post(message_url(active), {"message": f"Message {number}"}, format="json")
        assert answer.status_code == 201
    answer = as_org_admin.post(message_url(active), {"message": "One more"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_messages")
    assert "20" in answer.json()["detail"]
    order = proxy.beat(active.pk).orders[0]
    lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id))
    assert as_org_admin.post(message_url(active), {"message": "Now"}, format="json").status_code == 201
    assert len(audited("session.message_sent")) == 21


def test_an_old_proxy_gets_no_order_that_it_cannot_decode(
    proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    as_org_admin.post(LOCK, [str(active.pk)], format="json")
    as_org_admin.post(message_url(active), {"message": "Hello"}, format="json")
    as_org_admin.post(f"{TASKS}kill-session/", [str(active.pk)], format="json")
    orders = proxy.beat(active.pk, protocol_version=2).orders
    assert [type(order) for order in orders] == [TerminateSession]
    orders = proxy.beat(active.pk, protocol_version=3).orders
    assert [type(order) for order in orders] == [ChangeLock, ShowMessage, TerminateSession], "after its upgrade"


def test_a_session_found_alive_is_still_locked(proxy: Proxy, active: Session, as_org_admin: APIClient) -> None:
    as_org_admin.post(LOCK, [str(active.pk)], format="json")
    Session.objects.update(date_start=clock.now() - timedelta(minutes=5))
    proxy.beat()  # without the session: presumed to have ended
    active.refresh_from_db()
    assert active.is_finished
    (order,) = proxy.beat(active.pk).orders
    assert isinstance(order, ChangeLock)
    assert order.is_locked


def test_a_message_reaches_the_proxy_and_is_audited(proxy: Proxy, active: Session, as_org_admin: APIClient) -> None:
    text = "请保存。Please save."
    answer = as_org_admin.post(message_url(active), {"message": text}, format="json")
    assert answer.status_code == 201
    (order,) = proxy.beat(active.pk).orders
    assert order == ShowMessage(order_id=ProxyOrder.objects.get().pk, session_id=active.pk, by="Olaf(olaf)", text=text)
    assert answer.json() == {"id": str(order.order_id)}
    assert audited("session.message_sent") == [("session.message_sent", None, {"message": text})]
    (task,) = as_org_admin.get(TASKS).json()
    assert (task["name"], task["kwargs"]) == ("show_message", {"sent_by": "Olaf(olaf)", "message": text})


@pytest.mark.parametrize(
    "message", ["", "   ", "x" * 513, "two\nlines", "bell\x07", "\x1b[31mred", "\u202eturned", "nul\x00", None, 7.5, []]
)
def test_a_message_is_one_visible_line(as_org_admin: APIClient, active: Session, message: Any) -> None:
    if message == 7.5:  # a number is text for the serializer
        message = {"a": 1}
    answer = as_org_admin.post(message_url(active), {"message": message}, format="json")
    assert answer.status_code == 400
    assert not ProxyOrder.objects.exists()


@pytest.mark.parametrize("body", [{}, {"ids": []}, "x", ["x"], [5], [None], [["a"]]])
@pytest.mark.parametrize("url", [LOCK, UNLOCK])
def test_bodies_without_session_ids_are_refused(as_org_admin: APIClient, url: str, body: Any) -> None:
    assert as_org_admin.post(url, body, format="json").status_code == 400


def test_k74_auditors_and_users_may_not_steer(
    as_auditor: APIClient, as_user: APIClient, as_org_admin: APIClient, active: Session
) -> None:
    for client in (as_auditor, as_user):
        assert client.post(LOCK, [str(active.pk)], format="json").status_code == 403
        assert client.post(UNLOCK, [str(active.pk)], format="json").status_code == 403
        assert client.post(message_url(active), {"message": "Hello"}, format="json").status_code == 403
    assert as_org_admin.post(LOCK, [str(uuid4())], format="json").json() == {"ok": [], "ended": []}
    assert not ProxyOrder.objects.exists()
