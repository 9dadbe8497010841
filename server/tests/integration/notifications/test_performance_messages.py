"""Messages about overloaded and offline parts, from the heartbeats of proxies to what administrators read."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from unittest import mock
from uuid import UUID

import pytest
from django.core.cache import cache
from django.test import Client

from factories.at_once import at_once
from factories.proxy_client import Proxy
from postern.apps.notifications import performance, web_machines
from postern.apps.notifications.component_standing import RECOVERY
from postern.apps.notifications.models import ComponentState, SiteMessage, SiteMessageReceipt, WebMachine
from postern.apps.sessions.heartbeats import presence
from postern.apps.sessions.models import Terminal
from postern.apps.users.models import User
from postern.foundation.machine import machine_load
from postern.foundation.machine.machine_load import MachineLoad
from postern.foundation.parts import health, part_board
from postern.kernel import clock
from postern.kernel.errors import Unavailable

pytestmark = pytest.mark.django_db

MINUTE: Final = timedelta(minutes=1)
CALM_MACHINE: Final = MachineLoad("postern-1", cpu_load=0.2, memory_used=30, disk_used=30)


class Watch:
    """Time that passes while the parts are read twice a minute, with heartbeats of the proxies that are up."""

    def __init__(self) -> None:
        self.now: datetime = clock.now()
        self.beats: dict[UUID, tuple[Proxy, dict[str, Any]]] = {}
        self.is_web_up = True

    def pass_minutes(self, number: float) -> None:
        for _step in range(round(number * 2)):
            self.now += timedelta(seconds=30)
            with mock.patch.object(clock, "now", return_value=self.now):
                for proxy, values in self.beats.values():
                    proxy.beat(**values)
                if self.is_web_up:
                    presence.stamp_web(self.now.timestamp())
                performance.watch(self.now)

    def reports(self, proxy: Proxy, **values: Any) -> None:
        self.beats[proxy.id] = (proxy, values)


@pytest.fixture
def watch(db: None) -> Iterator[Watch]:
    cache.clear()
    with mock.patch.object(machine_load, "measure", return_value=CALM_MACHINE):
        yield Watch()
    cache.clear()


@pytest.fixture
def http(db: None) -> Client:
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def proxy(http: Client, watch: Watch) -> Proxy:
    proxy = Proxy(http, "proxy-east")
    watch.reports(proxy)
    return proxy


@pytest.fixture(autouse=True)
def administrator(make_user: Callable[..., User]) -> User:
    return make_user("adam", role="Admin", language="en")


def subjects() -> list[str]:
    rows = SiteMessageReceipt.objects.filter(user__username="adam", message__message_type="ServerPerformanceMessage")
    return list(rows.order_by("message__date_created", "id").values_list("message__subject", flat=True))


def newest() -> SiteMessage:
    return SiteMessage.objects.filter(message_type="ServerPerformanceMessage").latest("date_created")


@pytest.mark.parametrize(
    ("load", "what", "line"),
    [
        ({"cpu_load": 5.5}, "is under high load", "CPU load: 5.5 (high from 5, critical from 20)"),
        ({"cpu_load": 21.0}, "is critically overloaded", "CPU load: 21.0 (high from 5, critical from 20)"),
        ({"memory_used": 85.0}, "is under high load", "Memory used: 85.0% (high from 85%, critical from 95%)"),
        ({"memory_used": 97.25}, "is critically overloaded", "Memory used: 97.2% (high from 85%, critical from 95%)"),
        ({"disk_used": 81.0}, "is under high load", "Disk used: 81.0% (high from 80%, critical from 99%)"),
        ({"disk_used": 99.5}, "is critically overloaded", "Disk used: 99.5% (high from 80%, critical from 99%)"),
    ],
)
@pytest.mark.any_database
def test_overloaded_proxy_is_told_once_with_its_measures_and_again_when_it_is_over(
    watch: Watch, proxy: Proxy, load: dict[str, float], what: str, line: str
) -> None:
    watch.pass_minutes(5)
    assert subjects() == []
    watch.reports(proxy, **load)
    watch.pass_minutes(60)
    assert subjects() == [f"The terminal proxy-east {what}"]
    assert line in newest().message
    watch.reports(proxy)
    watch.pass_minutes(60)
    assert subjects() == [f"The terminal proxy-east {what}", "The terminal proxy-east works normally again"]


@pytest.mark.any_database
def test_threshold_is_not_reached_below_it(watch: Watch, proxy: Proxy) -> None:
    watch.reports(proxy, cpu_load=4.9, memory_used=84.9, disk_used=79.9)
    watch.pass_minutes(60)
    assert subjects() == []


@pytest.mark.any_database
def test_flapping_measure_causes_one_message_in_hours(watch: Watch, proxy: Proxy) -> None:
    for _time in range(60):
        for disk_used in (99.5, 79.0, 81.0, 99.0):
            watch.reports(proxy, disk_used=disk_used)
            watch.pass_minutes(1)
    assert subjects() == ["The terminal proxy-east is critically overloaded"]


@pytest.mark.any_database
def test_proxy_that_comes_and_goes_causes_no_storm(watch: Watch, proxy: Proxy) -> None:
    for _time in range(20):
        del watch.beats[proxy.id]
        watch.pass_minutes(8)
        watch.reports(proxy)
        watch.pass_minutes(8)
    assert subjects() == ["The terminal proxy-east is offline"]


def test_offline_proxy_is_told_after_minutes_and_its_return_too(watch: Watch, proxy: Proxy) -> None:
    watch.pass_minutes(1)
    del watch.beats[proxy.id]
    watch.pass_minutes(5)
    assert subjects() == []
    watch.pass_minutes(60)
    assert subjects() == ["The terminal proxy-east is offline"]
    watch.reports(proxy)
    watch.pass_minutes(RECOVERY / MINUTE + 1)
    assert subjects()[1:] == ["The terminal proxy-east works normally again"]


@pytest.mark.any_database  # repeats the SQL statements of the other tests
def test_proxy_that_shut_down_in_order_or_was_deleted_is_not_offline(watch: Watch, http: Client, proxy: Proxy) -> None:
    other = Proxy(http, "proxy-west")
    watch.reports(proxy, draining=True)
    watch.reports(other)
    watch.pass_minutes(1)
    watch.beats.clear()
    Terminal.objects.filter(pk=other.id).update(is_deleted=True)
    watch.pass_minutes(60)
    assert subjects() == []
    assert not ComponentState.objects.filter(key__startswith="terminal:").exists()


@pytest.mark.any_database  # repeats the SQL statements of the other tests
def test_machine_of_the_worker_is_measured_unless_a_local_proxy_reports_it(watch: Watch, proxy: Proxy) -> None:
    full = MachineLoad("postern-1", cpu_load=0.2, memory_used=30, disk_used=99.9)
    with mock.patch.object(machine_load, "measure", return_value=full):
        watch.pass_minutes(5)
        assert subjects() == ["The machine postern-1 is critically overloaded"]
        Terminal.objects.filter(pk=proxy.id).update(is_local=True)
        watch.reports(proxy, disk_used=99.9)
        watch.pass_minutes(60)
    assert subjects()[1:] == ["The terminal proxy-east is critically overloaded"]


def test_longest_host_name_fits_its_columns(watch: Watch) -> None:
    name = ".".join(["n" * 62] * 4)
    with mock.patch.object(machine_load, "measure", return_value=MachineLoad(name, 25.0, 10.0, 10.0)):
        watch.pass_minutes(5)
    assert len(subjects()) == 1
    assert len(newest().occasion) <= 256


@pytest.mark.any_database  # repeats the SQL statements of the other tests
def test_web_part_that_is_down_is_told(watch: Watch) -> None:
    watch.pass_minutes(1)
    watch.is_web_up = False
    watch.pass_minutes(10)
    assert subjects() == ["The web service is offline"]
    watch.is_web_up = True
    watch.pass_minutes(40)
    assert subjects()[1:] == ["The web service works normally again"]


@pytest.mark.any_database  # repeats the SQL statements of the other tests
def test_secret_store_that_does_not_answer_is_told(watch: Watch) -> None:
    store = mock.Mock(side_effect=Unavailable("no answer"))
    with mock.patch.dict(health.CHECKS.value, {health.SECRET_STORE: store}):
        watch.pass_minutes(10)
        assert subjects() == ["The secret store is offline"]


@pytest.mark.any_database
def test_own_machine_is_really_measured(tmp_path: Path) -> None:
    own = machine_load.measure(tmp_path)
    assert own is not None
    assert own.name
    assert 0 < own.memory_used <= 100
    assert 0 < own.disk_used <= 100
    assert machine_load.measure(tmp_path / "gone") is None


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_one_message(watch: Watch, proxy: Proxy) -> None:
    watch.reports(proxy, disk_used=99.5)
    watch.pass_minutes(2)
    assert subjects() == []
    later = watch.now + MINUTE
    with mock.patch.object(clock, "now", return_value=later):
        proxy.beat(disk_used=99.5)
        presence.stamp_web(later.timestamp())
    at_once(*[lambda: performance.watch(later)] * 4)
    assert subjects() == ["The terminal proxy-east is critically overloaded"]


def test_machine_with_only_web_processes_is_told_of_when_it_is_overloaded_and_when_it_is_gone(watch: Watch) -> None:
    def reports(**load: float) -> None:
        at_web = MachineLoad("web-2", **{"cpu_load": 0.2, "memory_used": 30, "disk_used": 30, **load})
        with (
            mock.patch.object(machine_load, "measure", return_value=at_web),
            mock.patch.object(clock, "now", return_value=watch.now),
        ):
            assert web_machines.report()
            assert not web_machines.report()  # another process of the machine

    for _half_minute in range(6):
        reports(disk_used=97)
        watch.pass_minutes(0.5)
    assert subjects() == ["The machine web-2 is under high load"]
    watch.pass_minutes(10)
    assert subjects()[1:] == ["The machine web-2 is offline"]
    watch.now += timedelta(days=1)
    watch.pass_minutes(0.5)
    assert not WebMachine.objects.exists()
    assert not ComponentState.objects.filter(key="machine:web-2").exists()


@pytest.mark.parametrize("part", ["worker", "proxy"])
def test_machine_that_the_worker_or_a_proxy_measures_is_not_reported_twice(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives = {"web": part_board.PartLife(1, 0.0), part: part_board.PartLife(2, 0.0)}
    monkeypatch.setattr(part_board, "read", lambda *_: lives)
    assert not web_machines.report()
    del lives[part]
    assert web_machines.report()
