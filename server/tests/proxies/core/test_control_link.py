"""The connection to the control plane: registration, heartbeats, orders, events queued on disk, resumed uploads."""

import asyncio
import contextlib
import errno
import stat
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from fakes.control_plane import FakeControlPlane
from postern.contracts.access import TicketReport
from postern.contracts.events import RequestRefused
from postern.contracts.terminals import (
    HEARTBEAT_INTERVAL_S,
    OrderDone,
    Registered,
    StateOfRegistration,
    TerminateSession,
    fingerprint_of,
    hash_of_secret,
)
from postern.kernel.clock import monotonic_s, now
from postern.kernel.errors import SettingsError
from postern.kernel.ids import new_id
from postern.kernel.secret import Secret
from postern.proxies.core.control.announcement import Announcement
from postern.proxies.core.control.channel import ControlChannel
from postern.proxies.core.control.client import HttpControlPlane
from postern.proxies.core.control.heartbeat import HeartbeatSender, ProxyState
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.control.registration import CredentialRenewal, obtain_credential, stored_credential
from postern.proxies.core.control.tickets import TicketKeeper
from postern.proxies.core.control.uploader import RecordingUploader
from postern.proxies.core.limits import Limits
from postern.proxies.core.sessions.registry import SessionRegistry
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.settings import ProxyConfig, split_address
from postern.proxies.core.shared_settings import SharedSettings

LIMITS = Limits(outbox_segment_bytes=2000)


def config_for(plane: FakeControlPlane, folder: Path, token: str = "bootstrap") -> ProxyConfig:
    return ProxyConfig(
        state_dir=folder, control_url=plane.url, name="p1",
        bootstrap_token=Secret(token), limits=LIMITS,
    )  # fmt: skip


@pytest.fixture
async def credential(control_plane: FakeControlPlane, tmp_path: Path) -> Registered:
    return await obtain_credential(config_for(control_plane, tmp_path))


@pytest.fixture
async def client(control_plane: FakeControlPlane, credential: Registered) -> AsyncIterator[HttpControlPlane]:
    async with HttpControlPlane(control_plane.url, credential, LIMITS) as plane:
        yield plane


@contextlib.asynccontextmanager
async def running(*work: Any) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(coroutine) for coroutine in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def refusal(number: int, session_id: UUID | None = None) -> RequestRefused:
    return RequestRefused(id=uuid4(), session_id=session_id or uuid4(), at=now(), request="x11", detail=str(number))


# Registration


async def test_registration_is_stored_readable_by_this_user_only(
    control_plane: FakeControlPlane, tmp_path: Path
) -> None:
    config = config_for(control_plane, tmp_path)
    first = await obtain_credential(config)
    second = await obtain_credential(config)

    assert (first.terminal_id, first.secret) == (second.terminal_id, second.secret)
    assert len(control_plane.terminals) == 1
    assert stat.S_IMODE(config.credential_file.stat().st_mode) == 0o600
    assert first.secret not in repr(first)


async def test_registration_waits_for_a_control_plane_that_is_not_ready(
    control_plane: FakeControlPlane, tmp_path: Path
) -> None:
    control_plane.down = True
    task = asyncio.create_task(obtain_credential(config_for(control_plane, tmp_path)))
    await asyncio.sleep(0.3)
    assert not task.done()
    control_plane.down = False

    assert (await asyncio.wait_for(task, 60)).name == "p1"


async def test_wrong_bootstrap_token_stops_the_start(control_plane: FakeControlPlane, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="refused"):
        await obtain_credential(config_for(control_plane, tmp_path, token="wrong"))
    with pytest.raises(SettingsError, match="no bootstrap token"):
        await obtain_credential(config_for(control_plane, tmp_path, token=""))


async def test_damaged_credential_file_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("{half")
    assert stored_credential(tmp_path / "c.json") is None


async def test_k8_internal_api_refuses_a_foreign_credential(control_plane: FakeControlPlane, tmp_path: Path) -> None:
    stranger = Registered(terminal_id=uuid4(), name="x", secret="y")
    async with HttpControlPlane(control_plane.url, stranger, LIMITS) as plane:
        with pytest.raises(ControlRefused) as caught:
            await plane.recording_received(uuid4())
    assert caught.value.http_status == 401


async def test_unreachable_control_plane_is_reported_as_unavailable(credential: Registered) -> None:
    async with HttpControlPlane("http://127.0.0.1:1", credential, LIMITS) as plane:
        with pytest.raises(ControlUnavailable):
            await plane.recording_received(uuid4())


async def test_registered_proxy_waits_until_it_is_accepted(
    control_plane: FakeControlPlane, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    control_plane.new_state = StateOfRegistration.WAITING
    config = config_for(control_plane, tmp_path)
    task = asyncio.create_task(obtain_credential(config))
    await control_plane.until(lambda: control_plane.states_asked > 1)
    assert not task.done()
    (terminal_id,) = control_plane.terminals
    assert fingerprint_of(hash_of_secret(control_plane.terminals[terminal_id])) in caplog.text
    # After a restart meanwhile, it waits with its existing credential and does not register a second time.
    task.cancel()
    task = asyncio.create_task(obtain_credential(config))
    await control_plane.until(lambda: control_plane.states_asked > 3)
    assert not task.done()
    control_plane.states[terminal_id] = StateOfRegistration.ACCEPTED

    assert (await asyncio.wait_for(task, 60)).terminal_id == terminal_id
    assert list(control_plane.terminals) == [terminal_id]


async def test_refused_proxy_stops_and_does_not_register_again(control_plane: FakeControlPlane, tmp_path: Path) -> None:
    control_plane.new_state = StateOfRegistration.REFUSED
    with pytest.raises(SettingsError, match=r"refused or deleted.*credential\.json"):
        await obtain_credential(config_for(control_plane, tmp_path))
    with pytest.raises(SettingsError, match="refused or deleted"):
        await obtain_credential(config_for(control_plane, tmp_path))
    assert len(control_plane.terminals) == 1


async def test_revoked_proxy_registers_again(control_plane: FakeControlPlane, tmp_path: Path) -> None:
    config = config_for(control_plane, tmp_path)
    first = await obtain_credential(config)
    control_plane.terminals[first.terminal_id] = "another secret"
    second = await obtain_credential(config)
    assert second.terminal_id != first.terminal_id
    assert stored_credential(config.credential_file) == second


async def test_stored_credential_is_used_while_the_control_plane_is_away(
    control_plane: FakeControlPlane, tmp_path: Path
) -> None:
    config = config_for(control_plane, tmp_path)
    first = await obtain_credential(config)
    control_plane.down = True
    assert await obtain_credential(config) == first


async def test_local_proxy_sends_a_proof_and_not_its_secret(control_plane: FakeControlPlane, tmp_path: Path) -> None:
    control_plane.local_secret = "the secret of the data folder"
    config = replace(config_for(control_plane, tmp_path, token=""), local_secret=Secret(control_plane.local_secret))
    await obtain_credential(config)
    (auth_header,) = control_plane.shown
    assert auth_header.startswith("LocalProxy ")
    assert control_plane.local_secret not in auth_header
    assert control_plane.bootstrap_token not in auth_header


async def test_credential_is_renewed_when_a_heartbeat_asks_for_it(
    control_plane: FakeControlPlane, tmp_path: Path
) -> None:
    config = config_for(control_plane, tmp_path)
    former = await obtain_credential(config)
    async with HttpControlPlane(control_plane.url, former, LIMITS) as plane:
        renewal = CredentialRenewal(config, former, plane, users=(plane,), boot_id=new_id())
        async with running(renewal.run()):
            renewal.ask()
            await control_plane.until(lambda: control_plane.renewals)
            await control_plane.until(lambda: stored_credential(config.credential_file) != former)
            stored = stored_credential(config.credential_file)
            assert stored is not None
            await control_plane.until(lambda: plane.registered == stored)
        await plane.report_tickets(TicketReport())
    assert control_plane.terminals == {former.terminal_id: stored.secret}
    assert stat.S_IMODE(config.credential_file.stat().st_mode) == 0o600
    assert await obtain_credential(config) == stored


# Tickets


async def test_tickets_are_prolonged_returned_and_their_callback_called_when_void(
    control_plane: FakeControlPlane, client: HttpControlPlane
) -> None:
    voided: list[str] = []
    keeper = TicketKeeper(client)
    names = [f"ticket {number}" for number in range(1200)]
    for name in names:
        control_plane.tickets[name] = control_plane.add_user("ann")
        keeper.take(name, lambda name=name: voided.append(name))  # type: ignore[misc]
    del control_plane.tickets["ticket 700"]
    for name in ("ticket 3", "never taken"):
        keeper.give_back(name)
    assert await keeper.report() is True
    assert control_plane.tickets_closed == ["ticket 3", "never taken"]
    assert voided == ["ticket 700"]
    assert await keeper.report() is True
    assert voided == ["ticket 700"]


async def test_closed_tickets_are_reported_again_after_an_absence(
    control_plane: FakeControlPlane, client: HttpControlPlane
) -> None:
    keeper = TicketKeeper(client)
    keeper.give_back("one")
    control_plane.down = True
    assert await keeper.report() is False
    keeper.give_back("two")
    control_plane.down = False
    async with running(keeper.run()):
        await control_plane.until(lambda: set(control_plane.tickets_closed) == {"one", "two"})


# Events


async def test_events_arrive_in_order(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    async with running(outbox.run(client)):
        for number in range(1200):
            outbox.append(refusal(number))
        assert await outbox.flushed(60)
    outbox.close()

    assert [event.detail for event in control_plane.events] == [str(number) for number in range(1200)]
    assert outbox.unsent == 0


async def test_events_wait_on_disk_through_an_absence_and_a_restart(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    control_plane.down = True
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    async with running(outbox.run(client)):
        for number in range(50):
            outbox.append(refusal(number))
        await asyncio.sleep(0.1)
    outbox.close()
    assert control_plane.events == []
    control_plane.down = False

    again = EventOutbox(tmp_path / "o", LIMITS)
    assert again.unsent == 50
    async with running(again.run(client)):
        again.append(refusal(50))
        assert await again.flushed(60)
    again.close()
    assert [event.detail for event in control_plane.events] == [str(number) for number in range(51)]
    assert not list((tmp_path / "o").glob("*.jsonl")) or EventOutbox(tmp_path / "o", LIMITS).unsent == 0


async def test_rejected_events_are_dropped_and_the_rest_is_sent(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    unknown = uuid4()
    control_plane.reject_sessions.add(unknown)
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    async with running(outbox.run(client)):
        outbox.append(refusal(1, unknown))
        outbox.append(refusal(2))
        assert await outbox.flushed(60)
    outbox.close()
    assert [event.detail for event in control_plane.events] == ["2"]


# Heartbeat and orders


@dataclass
class Link:
    registry: SessionRegistry
    channel: ControlChannel
    heartbeat: HeartbeatSender
    settings: SharedSettings
    carried: list[Any] = field(default_factory=list)


@pytest.fixture
async def link(
    control_plane: FakeControlPlane, client: HttpControlPlane, credential: Registered, tmp_path: Path
) -> AsyncIterator[Link]:
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    registry = SessionRegistry(SessionServices(events=outbox, open_recorder=lambda *_: 1 / 0), LIMITS)  # type: ignore[arg-type]
    carried: list[Any] = []

    def carry_out(order: Any) -> bool:
        carried.append(order)
        return registry.carry_out(order)

    settings = SharedSettings()
    channel = ControlChannel(control_plane.url, credential, LIMITS, carry_out=carry_out, on_settings=settings.update)
    heartbeat = HeartbeatSender(
        client, registry, outbox,
        ProxyState(volume=tmp_path, announcement=lambda: Announcement(stream_address="unix:/x", ssh_port=2222, connections=3)),
        on_orders=channel.take, on_answer=settings.take,
    )  # fmt: skip
    yield Link(registry, channel, heartbeat, settings, carried)
    outbox.close()


def order() -> TerminateSession:
    return TerminateSession(
        order_id=uuid4(), session_id=uuid4(), by="bob", reason="terminated", message_zh="停", message_en="stop"
    )


async def test_heartbeat_is_sent_when_the_machine_cannot_be_measured(
    control_plane: FakeControlPlane, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a heartbeat, every session would end."""
    assert await link.heartbeat.beat()

    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr("psutil.virtual_memory", refuse)
    monkeypatch.setattr("psutil.disk_usage", refuse)
    assert await link.heartbeat.beat()
    before, after = control_plane.heartbeats
    assert (after.memory_used, after.disk_used) == (before.memory_used, before.disk_used)


async def test_heartbeat_reports_the_state_and_applies_the_settings(
    control_plane: FakeControlPlane, link: Link
) -> None:
    control_plane.settings = type(control_plane.settings)(password_auth=False, asset_list_page_size="15")
    assert await link.heartbeat.beat()

    beat = control_plane.heartbeats[0]
    assert (beat.stream_address, beat.ssh_port, beat.connections, beat.sessions) == ("unix:/x", 2222, 3, ())
    assert link.settings.current.asset_list_page_size == "15"


@pytest.mark.spec("S9-047")
async def test_interval_of_heartbeats_is_in_seconds_and_comes_from_the_settings(
    control_plane: FakeControlPlane, link: Link
) -> None:
    control_plane.settings = type(control_plane.settings)(heartbeat_interval_s=1)
    came_s: list[float] = []
    async with running(link.heartbeat.run()):
        for number in range(4):
            await control_plane.until(lambda number=number: len(control_plane.heartbeats) > number)
            came_s.append(monotonic_s())
    gaps_s = [after - before for before, after in pairwise(came_s)]
    assert 0.8 < min(gaps_s) < HEARTBEAT_INTERVAL_S - 1, "one second, and not the interval before the setting is known"


async def test_changed_settings_apply_without_a_heartbeat(control_plane: FakeControlPlane, link: Link) -> None:
    async with running(link.channel.run()):
        await control_plane.until(lambda: control_plane.channels)
        await control_plane.change_settings(password_auth=False)
        await control_plane.until(lambda: not link.settings.current.password_auth)
        sent = order()
        await control_plane.order(sent)
        await control_plane.until(lambda: sent.order_id in control_plane.orders_done)
    assert control_plane.heartbeats == []
    assert link.carried == [sent], "an update of settings is no order"


async def test_settings_of_an_older_answer_are_ignored_until_they_are_repeated(
    control_plane: FakeControlPlane, link: Link
) -> None:
    before = control_plane.settings
    async with running(link.channel.run()):
        await control_plane.until(lambda: control_plane.channels)
        await control_plane.change_settings(asset_list_page_size="15")
        await control_plane.until(lambda: link.settings.current.asset_list_page_size == "15")
        # an older update never counts
        control_plane.settings = before
        link.settings.update(before)
        assert link.settings.current.asset_list_page_size == "15"
        # an answer that was made before the update
        assert await link.heartbeat.beat()
        assert link.settings.current.asset_list_page_size == "15"
        # the control plane has gone back: its database was restored
        assert await link.heartbeat.beat()
        assert link.settings.current == before


async def test_order_on_the_channel_is_carried_out_and_answered_immediately(
    control_plane: FakeControlPlane, link: Link
) -> None:
    async with running(link.channel.run()):
        await control_plane.until(lambda: control_plane.channels)
        sent = order()
        await control_plane.order(sent)
        await control_plane.until(lambda: sent.order_id in control_plane.orders_done)

    assert control_plane.orders_done[sent.order_id] == OrderDone(order_id=sent.order_id, found=False), "nothing is here"
    assert link.carried == [sent]


class PaintSession(msgspec.Struct, frozen=True, kw_only=True, tag="paint_session"):
    """An order that only a newer proxy knows."""

    order_id: UUID
    colour: str


async def test_an_order_of_a_newer_control_plane_costs_neither_the_heartbeat_nor_the_other_orders(
    control_plane: FakeControlPlane, link: Link
) -> None:
    unknown, known = PaintSession(order_id=uuid4(), colour="red"), order()
    control_plane.orders = {unknown.order_id: unknown, known.order_id: known}  # type: ignore[dict-item]  # no Order
    control_plane.settings = type(control_plane.settings)(asset_list_page_size="15")
    assert await link.heartbeat.beat()
    assert link.settings.current.asset_list_page_size == "15"
    assert link.carried == [known]
    pushed = PaintSession(order_id=uuid4(), colour="blue")
    async with running(link.channel.run()):
        await control_plane.until(lambda: control_plane.channels)
        await control_plane.order(pushed)  # type: ignore[arg-type]  # no Order
        await control_plane.until(lambda: len(control_plane.orders_done) == 3)
    assert control_plane.orders_done[known.order_id].ok
    for order_id in (unknown.order_id, pushed.order_id):
        assert control_plane.orders_done[order_id] == OrderDone(order_id=order_id, ok=False, detail="unknown order")


async def test_order_missed_by_the_channel_arrives_with_the_heartbeat(
    control_plane: FakeControlPlane, link: Link
) -> None:
    sent = order()
    control_plane.orders[sent.order_id] = sent
    await link.heartbeat.beat()
    assert link.carried == [sent]
    async with running(link.channel.run()):
        await control_plane.until(lambda: sent.order_id in control_plane.orders_done)


async def test_channel_reconnects_after_the_control_plane_restarts(control_plane: FakeControlPlane, link: Link) -> None:
    async with running(link.channel.run()):
        await control_plane.until(lambda: control_plane.channels)
        await control_plane.stop()
        await control_plane.start()
        await control_plane.until(lambda: control_plane.channels)
        sent = order()
        await control_plane.order(sent)
        await control_plane.until(lambda: sent.order_id in control_plane.orders_done)


async def test_heartbeat_detects_that_the_proxy_is_no_longer_known(control_plane: FakeControlPlane, link: Link) -> None:
    control_plane.terminals.clear()

    assert await link.heartbeat.beat() is False
    assert link.heartbeat.unknown.is_set()


# Recordings


@dataclass
class Waiting:
    session_id: UUID
    size: int
    path: Path | None


class FakeSpool:
    def __init__(self, *waiting: Waiting) -> None:
        self.waiting = list(waiting)

    def pending(self) -> list[Waiting]:
        return list(self.waiting)

    def stored(self, session_id: UUID) -> None:
        self.waiting = [sealed for sealed in self.waiting if sealed.session_id != session_id]


async def told() -> bool:
    return True


@pytest.fixture
def recording(tmp_path: Path) -> Waiting:
    content = tmp_path / "r.postern"
    content.write_bytes(bytes(range(256)) * 12_000)
    return Waiting(uuid4(), content.stat().st_size, content)


async def upload(client: HttpControlPlane, spool: FakeSpool, until: Callable[[], bool]) -> None:
    uploader = RecordingUploader(client, spool, events_sent=told)
    async with running(uploader.run()), asyncio.timeout(60):
        while not until():  # noqa: ASYNC110 - the spool has no event
            await asyncio.sleep(0.02)


async def test_recording_is_uploaded_completely_and_then_deleted(
    control_plane: FakeControlPlane, client: HttpControlPlane, recording: Waiting
) -> None:
    assert recording.path is not None
    spool = FakeSpool(recording)
    await upload(client, spool, lambda: not spool.waiting)

    assert bytes(control_plane.recordings[recording.session_id]) == recording.path.read_bytes()


async def test_upload_resumes_where_it_stopped(
    control_plane: FakeControlPlane, client: HttpControlPlane, recording: Waiting
) -> None:
    assert recording.path is not None
    content = recording.path.read_bytes()
    control_plane.recordings[recording.session_id] = bytearray(content[:1_000_000])
    spool = FakeSpool(recording)
    await upload(client, spool, lambda: not spool.waiting)

    assert bytes(control_plane.recordings[recording.session_id]) == content


async def test_upload_waits_while_the_control_plane_is_away(
    control_plane: FakeControlPlane, client: HttpControlPlane, recording: Waiting
) -> None:
    control_plane.down = True
    spool = FakeSpool(recording)
    uploader = RecordingUploader(client, spool, events_sent=told)
    async with running(uploader.run()):
        await asyncio.sleep(0.2)
        assert spool.waiting
        control_plane.down = False
        await control_plane.until(lambda: not spool.waiting)


async def test_unreadable_recording_does_not_block_the_others(
    client: HttpControlPlane, recording: Waiting, tmp_path: Path
) -> None:
    unreadable = Waiting(uuid4(), 5, tmp_path)  # a folder instead of a file
    spool = FakeSpool(unreadable, recording)
    await upload(client, spool, lambda: spool.waiting == [unreadable])


async def test_briefly_unreadable_spool_does_not_stop_uploads(client: HttpControlPlane, recording: Waiting) -> None:
    class Refusing(FakeSpool):
        refusals = 1

        def pending(self) -> list[Waiting]:
            if self.refusals:
                self.refusals -= 1
                raise OSError(errno.EMFILE, "too many open files")
            return super().pending()

    spool = Refusing(recording)
    await upload(client, spool, lambda: not spool.waiting)


async def test_lost_recording_is_only_acknowledged(client: HttpControlPlane) -> None:
    spool = FakeSpool(Waiting(uuid4(), 0, None))
    await upload(client, spool, lambda: not spool.waiting)


def test_split_address_accepts_names_and_bracketed_ipv6() -> None:
    assert split_address("127.0.0.1:22") == ("127.0.0.1", 22)
    assert split_address("[::1]:22") == ("::1", 22)
    for bad in ("nowhere", "host:", "host:x", "host:99999"):
        with pytest.raises(ValueError, match="host:port"):
            split_address(bad)
