"""No session row stays open for ever.

Proxy and control plane compare their lists, and an order that finds no live session ends the row.
"""

import random
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from factories.proxy_client import Proxy, World
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.heartbeats import actions as heartbeats
from postern.apps.sessions.models import ProxyOrder, Session, Terminal
from postern.apps.sessions.sessions.actions import lifecycle, orders
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded
from postern.contracts.terminals import LEASE_S, OrderDone, TerminateSession
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

KILL = "/api/v1/terminal/tasks/kill-session/"


def move_start_back(session: Session, seconds: int = 60) -> None:
    """Move the start of the session `seconds` into the past."""
    Session.objects.filter(pk=session.pk).update(date_start=clock.now() - timedelta(seconds=seconds))


def ended(session: Session) -> tuple[str, str, bool]:
    session.refresh_from_db()
    return session.state, session.end_reason, session.is_end_presumed


def terminate(proxy: Proxy, session: Session, admin: APIClient) -> TerminateSession:
    assert admin.post(KILL, [str(session.pk)]).json() == {"ok": [str(session.pk)]}
    [order] = [order for order in proxy.beat(session.pk).orders if isinstance(order, TerminateSession)]
    return order


def test_termination_that_finds_no_live_session_ends_the_row_with_its_reason(
    proxy: Proxy, opened: Session, as_org_admin: APIClient, audit_events: Callable[[], list[str]]
) -> None:
    order = terminate(proxy, opened, as_org_admin)
    lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id, found=False))
    assert ended(opened) == ("ended", "terminated", True)
    assert audit_events()[-2:] == ["session.ended", "session.sealed"]
    assert proxy.beat().orders == ()


def test_termination_that_reached_the_session_waits_for_its_end(
    proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    order = terminate(proxy, active, as_org_admin)
    lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id))
    assert ended(active) == ("active", "", False)


def test_order_of_another_proxy_ends_nothing(
    proxy: Proxy, other_proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    order = terminate(proxy, active, as_org_admin)
    lifecycle.order_done(terminal_id=other_proxy.id, done=OrderDone(order_id=order.order_id, found=False))
    assert ended(active) == ("active", "", False)


def test_end_reported_by_the_proxy_replaces_the_presumed_end(
    proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    order = terminate(proxy, active, as_org_admin)
    lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id, found=False))
    proxy.tell(
        SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.TARGET_CLOSED, exit_status=3, bytes_in=7)
    )
    assert ended(active) == ("ended", "target_closed", False)
    assert (active.exit_status, active.bytes_in) == (3, 7)
    assert AuditEvent.objects.filter(event="session.end_corrected").count() == 1


def test_session_missing_from_the_proxys_list_ends_although_other_events_wait(proxy: Proxy, opened: Session) -> None:
    move_start_back(opened)
    proxy.beat(unsent_events=3, unreported=[opened.pk])
    assert ended(opened)[0] == "opening", "how it ended is on its way"
    proxy.beat(unsent_events=3)
    assert ended(opened)[0] == "opening", "a proxy that names too many to list"
    proxy.beat(unsent_events=3, unreported=[uuid4()])
    assert ended(opened) == ("ended", "interrupted", True)


def test_young_session_does_not_count_as_missing(proxy: Proxy, opened: Session) -> None:
    proxy.beat(unreported=[])
    assert ended(opened)[0] == "opening"


def test_session_that_the_control_plane_does_not_carry_is_reported_as_over(
    proxy: Proxy, other_proxy: Proxy, active: Session
) -> None:
    stranger = uuid4()
    assert set(proxy.beat(active.pk, stranger).over) == {stranger}
    assert other_proxy.beat(active.pk).over == (active.pk,)
    proxy.tell(SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.IDLE))
    assert proxy.beat(active.pk).over == (active.pk,)


def test_session_presumed_dead_continues_when_the_proxy_lists_it(proxy: Proxy, active: Session) -> None:
    move_start_back(active)
    proxy.beat()
    assert ended(active)[1] == "interrupted"
    assert proxy.beat(active.pk).over == ()
    assert ended(active) == ("active", "", False)


def test_sessions_of_a_proxy_without_any_heartbeat_end_with_its_lease(proxy: Proxy, opened: Session) -> None:
    Terminal.objects.update(date_last_heartbeat=None, date_created=clock.now() - timedelta(seconds=LEASE_S + 1))
    heartbeats.expire_leases(actor=SYSTEM, now=clock.now(), lease=timedelta(seconds=LEASE_S))
    assert ended(opened)[:2] == ("ended", "interrupted")


class Stage:
    """A proxy that opens, ends, reports, obeys and sends heartbeats in random order, with the control plane
    behind it.
    """

    def __init__(self, proxy: Proxy, world: World, dice: random.Random) -> None:
        self.proxy, self.world, self.dice = proxy, world, dice
        self.carried: list[UUID] = []
        self.waiting: list[SessionEnded] = []

    def over(self, session_id: UUID, reason: EndReason) -> None:
        self.carried.remove(session_id)
        self.waiting.append(SessionEnded(session_id=session_id, at=clock.now(), reason=reason))

    def open(self) -> None:
        given = self.proxy.authorize(self.world.user, "web-1").grant
        assert given is not None
        self.carried.append(given.session_id)

    def lose(self) -> None:
        """Open a session whose answer to `authorize` never reaches the proxy."""
        self.proxy.authorize(self.world.user, "web-1")

    def start(self) -> None:
        for session_id in self.carried[-1:]:
            self.proxy.start(session_id)

    def end(self) -> None:
        if self.carried:
            self.over(self.dice.choice(self.carried), EndReason.USER_CLOSED)

    def report(self) -> None:
        self.proxy.tell(*self.waiting)
        self.waiting.clear()

    def kill(self) -> None:
        rows = list(Session.objects.order_by("pk"))
        if rows:
            orders.terminate_sessions(actor=SYSTEM, sessions=[self.dice.choice(rows)])

    def obey(self) -> None:
        for order in orders.open_orders(self.proxy.id):
            assert isinstance(order, TerminateSession)
            is_carried = order.session_id in self.carried
            if is_carried:
                self.over(order.session_id, EndReason.TERMINATED)
            lifecycle.order_done(terminal_id=self.proxy.id, done=OrderDone(order_id=order.order_id, found=is_carried))

    def beat(self) -> None:
        unreported = [event.session_id for event in self.waiting]
        answer = self.proxy.beat(*self.carried, unsent_events=len(self.waiting), unreported=unreported)
        assert answer.over == ()


@pytest.mark.parametrize("seed", range(5))
def test_rows_opened_and_ended_in_random_order_all_end(proxy: Proxy, world: World, seed: int) -> None:
    """The proxy dies, forgets, repeats events and sends them out of order. After its next heartbeat no row is open."""
    dice = random.Random(seed)
    stage = Stage(proxy, world, dice)
    steps = (
        stage.open,
        stage.open,
        stage.lose,
        stage.start,
        stage.end,
        stage.report,
        stage.kill,
        stage.obey,
        stage.beat,
    )
    for _ in range(60):
        dice.choice(steps)()
    Session.objects.exclude(state="ended").update(date_start=clock.now() - timedelta(minutes=2))
    for event in stage.waiting[: dice.randint(0, len(stage.waiting))]:
        proxy.tell(event)
    # The proxy is killed, and its unsent events are lost with it.
    proxy.beat(unreported=[])
    assert set(Session.objects.values_list("state", flat=True)) == {"ended"}
    assert not ProxyOrder.objects.filter(date_finished__isnull=True).exists()
