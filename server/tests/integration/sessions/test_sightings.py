"""A proxy credential used from a second address raises one alarm for each address, even without a heartbeat
from there.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from live import LiveServer
from websockets.asyncio.client import connect

from factories.proxy_client import Proxy
from postern.apps.audits.models import AuditEvent
from postern.apps.notifications.models import SiteMessage
from postern.apps.sessions.models import Terminal, TerminalSighting
from postern.apps.sessions.terminals.actions import sightings
from postern.apps.sessions.terminals.actions.sightings import MOST_NOTED, judge_overdue, network_of
from postern.apps.users.models import User
from postern.contracts import access, terminals
from postern.contracts.terminals import LEASE_S
from postern.foundation.bus import outbox
from postern.kernel import clock

HOME, THIEF = "198.51.100.7", "203.0.113.66"
LEASE = timedelta(seconds=LEASE_S)


@pytest.fixture
def proxy(proxy: Proxy) -> Proxy:
    """A proxy that runs at the address HOME."""
    proxy.http.defaults["REMOTE_ADDR"] = HOME
    proxy.beat()
    return proxy


@contextmanager
def at(proxy: Proxy, address: str) -> Iterator[None]:
    before = proxy.http.defaults["REMOTE_ADDR"]
    proxy.http.defaults["REMOTE_ADDR"] = address
    try:
        yield
    finally:
        proxy.http.defaults["REMOTE_ADDR"] = before


def ask(proxy: Proxy) -> None:
    proxy.ask(access.TICKETS, access.TicketReport(), access.TicketReportAnswer)


def alarms() -> list[tuple[Any, Any]]:
    rows = AuditEvent.objects.filter(event="terminal.alarm", new__kind="elsewhere")
    return sorted((row.new["remote_addr"], row.old["remote_addr"]) for row in rows)


def messages() -> list[str]:
    outbox.drain()
    return [message.message for message in SiteMessage.objects.filter(message_type="ProxyAlarmMessage")]


def test_thief_without_a_heartbeat_raises_an_alarm_at_the_next_heartbeat(proxy: Proxy, people: dict[str, User]) -> None:
    with at(proxy, THIEF):
        ask(proxy)
        ask(proxy)
    proxy.beat()
    assert alarms() == [(THIEF, HOME)]
    assert any(THIEF in text for text in messages())


def test_alarm_is_raised_once_for_each_address(proxy: Proxy) -> None:
    for address in (THIEF, THIEF, "203.0.113.67", THIEF):
        with at(proxy, address):
            ask(proxy)
        proxy.beat()
    assert alarms() == [(THIEF, HOME), ("203.0.113.67", HOME)]


def test_moved_proxy_raises_no_alarm(proxy: Proxy) -> None:
    """The proxy sends a request from its new address before its first heartbeat there."""
    with at(proxy, THIEF):
        ask(proxy)
        proxy.beat(boot_id=uuid4())
        ask(proxy)
        proxy.beat(boot_id=Terminal.objects.get().boot_id)
    assert alarms() == []
    assert not TerminalSighting.objects.exists()


def test_credential_of_a_stopped_proxy_raises_an_alarm_when_used(proxy: Proxy) -> None:
    proxy.beat(draining=True)
    with at(proxy, THIEF):
        ask(proxy)
    assert judge_overdue(now=clock.now(), wait=LEASE) == 0
    assert judge_overdue(now=clock.now() + LEASE, wait=LEASE) == 1
    assert judge_overdue(now=clock.now() + LEASE, wait=LEASE) == 0
    assert alarms() == [(THIEF, HOME)]


def test_thief_at_the_control_channel_raises_an_alarm(live: LiveServer, proxy: Proxy) -> None:
    """The channel carries orders, which name the sessions that will be ended."""

    async def listen() -> None:
        url = f"ws://{live.host}{terminals.CONTROL_CHANNEL}"
        async with connect(url, additional_headers=proxy.headers, compression=None):
            pass

    asyncio.run(listen())
    proxy.beat()
    assert alarms() == [("127.0.0.1", HOME)]


def test_new_credential_forgets_earlier_sightings(proxy: Proxy) -> None:
    with at(proxy, THIEF):
        ask(proxy)
    proxy.beat()
    Terminal.objects.update(is_renewal_due=True, renewal_boot_id=proxy.boot_id)
    proxy.secret = proxy.renew().json()["secret"]
    proxy.beat()
    with at(proxy, THIEF):
        ask(proxy)
    proxy.beat()
    assert alarms() == [(THIEF, HOME)] * 2


def test_stored_addresses_are_bounded(proxy: Proxy) -> None:
    terminal = Terminal.objects.get()
    for number in range(MOST_NOTED + 20):
        sightings.note(terminal, f"203.0.113.{number}")
    assert TerminalSighting.objects.count() == MOST_NOTED


def test_request_from_the_home_address_takes_no_extra_query(proxy: Proxy) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            ask(proxy)
        return len(captured)

    queries()
    known = queries()
    Terminal.objects.update(remote_addr="")  # no address to compare with
    assert queries() == known


@pytest.mark.parametrize(
    ("address", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("127.0.0.1", "::1", True),
        ("::ffff:127.0.0.1", "127.0.0.2", True),
        ("::2", "::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("somewhere", "elsewhere", False),
    ],
)
def test_addresses_of_one_network_or_of_this_machine_count_as_one(address: str, other: str, same: bool) -> None:
    assert (network_of(address) == network_of(other)) == same
