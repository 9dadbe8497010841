"""Walks docs/how-to/add-a-protocol.md: the whole proxy with a protocol that consists of one folder and one more
line.
"""

import ast
import asyncio
import contextlib
import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeSystemUser
from peers.ports import free_port
from postern.contracts.enums import EndReason, Protocol, RecordingState
from postern.contracts.events import CommandSeen, RecordingSealed, SessionEnded, SessionStarted
from postern.contracts.recording import Recording, iter_asciicast, parse_public_key, verify
from postern.contracts.recording.events import Answer, End, Keyframe, Note, Outcome, Query, decode
from postern.contracts.recording.format import Content
from postern.contracts.terminals import TerminateSession
from postern.entrypoints import proxy
from postern.entrypoints.proxy_settings import fronts_of
from postern.entrypoints.shutdown import StopSignals
from postern.foundation.settings import Settings
from postern.kernel.clock import now
from postern.proxies.core.targets.connectors import Connectors
from proxies.toy.part import ToyFront


@dataclass
class ToyServer:
    """A real small server: `login password` first, then each line is returned in capitals."""

    asked: list[bytes] = field(default_factory=list)
    port: int = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            is_known = await reader.readline() == b"toy-login toy-password\n"
            writer.write(b"welcome\n" if is_known else b"go away\n")
            while is_known and (line := await reader.readline()):
                self.asked.append(line)
                writer.write(line.upper())
        writer.close()


@dataclass
class Toy:
    """The running proxy, and what tests inspect."""

    plane: FakeControlPlane
    home: Path
    port: int
    server: ToyServer
    asset: FakeAsset

    @contextlib.asynccontextmanager
    async def person(self, login: str = "alice right db-1") -> AsyncIterator["Person"]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(login.encode() + b"\n")
        try:
            yield Person(reader, writer)
        finally:
            writer.close()


@dataclass
class Person:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def reads(self) -> str:
        async with asyncio.timeout(60):
            return (await self.reader.readline()).decode().rstrip("\n")

    async def asks(self, line: str) -> str:
        self.writer.write(line.encode() + b"\n")
        return await self.reads()


@pytest.fixture
async def toy(control_plane: FakeControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Toy]:
    server, port = ToyServer(), free_port()
    listening = await asyncio.start_server(server.talk, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    account = FakeSystemUser("toy", "toy-login", password="toy-password")
    control_plane.add_user("alice")
    asset = control_plane.add_asset(FakeAsset("db-1", "127.0.0.1", server.port, [account], protocol=Protocol.MYSQL))
    monkeypatch.setenv("POSTERN_CONTROL_URL", control_plane.url)
    monkeypatch.setattr(proxy, "settle_garbage_collector", lambda: None)  # this process continues afterwards
    settings = Settings.load(
        {
            "POSTERN_HOME": str(tmp_path / "home"),
            "POSTERN_SSH": "127.0.0.1:0",
            "POSTERN_BOOTSTRAP_TOKEN": control_plane.bootstrap_token,
            "POSTERN_ALLOW_LOCAL_TARGETS": "yes",
            "POSTERN_RECORDING_RESERVE_MB": "16",
            "POSTERN_SHUTDOWN_S": "0",
        }
    )
    signals = StopSignals(supervised=False)
    fronts = (*fronts_of(settings), ToyFront(port))
    running = asyncio.create_task(proxy.run(settings, 4096, fronts, signals))
    beaten = asyncio.create_task(control_plane.until(lambda: control_plane.heartbeats, 120))
    await asyncio.wait({running, beaten}, return_when=asyncio.FIRST_COMPLETED)
    assert beaten.done(), running.result()
    yield Toy(control_plane, tmp_path / "home", port, server, asset)
    signals.stopping.set()
    assert await running == 0
    listening.close()


async def sealed(toy: Toy) -> bytes:
    """Return the recording as the control plane has it."""
    event = await toy.plane.event(RecordingSealed, timeout_s=120)
    assert event.state is RecordingState.SEALED
    received = toy.plane.recordings
    await toy.plane.until(lambda: len(received.get(event.session_id, b"")) == event.size, 120)
    return bytes(received[event.session_id])


async def test_toy_session_is_recorded_sealed_uploaded_and_shown(toy: Toy) -> None:
    async with toy.person() as person:
        assert await person.reads() == "ready"
        assert await person.asks("select 1") == "SELECT 1"
        assert await person.asks("error please") == "ERROR PLEASE"
    ended = await toy.plane.event(SessionEnded)
    assert (ended.reason, ended.ever_active, ended.bytes_in) == (EndReason.USER_CLOSED, True, 20)
    assert (await toy.plane.event(SessionStarted)).kind == "query"
    assert [command.input for command in toy.plane.of(CommandSeen)] == ["select 1", "error please"]

    content = await sealed(toy)
    key = parse_public_key((toy.home / "secrets" / "recording_signing_key.pub").read_text())
    assert verify(io.BytesIO(content), key).valid
    recording = Recording.open(io.BytesIO(content))
    assert (recording.header.content, recording.header.protocol) == (Content.QUERIES, "mysql")
    events = [decode(event.kind, event.data) for event in recording.events()]
    assert [event for event in events if not isinstance(event, Keyframe)] == [
        Note("logged in as toy-login"),
        Query(1, b"select 1"),
        Answer(1, Outcome.DONE, 1),
        Query(2, b"error please"),
        Answer(2, Outcome.DONE, 1),
        End("user_closed"),
    ]
    lines = [json.loads(line) for line in iter_asciicast(io.BytesIO(content))]
    text = "".join(line[2] for line in lines[1:])
    assert text.index("logged in as toy-login") < text.index("select 1") < text.index("done: 1 rows")


async def test_toy_session_ends_by_an_administrators_order(toy: Toy) -> None:
    async with toy.person() as person:
        assert await person.reads() == "ready"
        session_id = (await toy.plane.event(SessionStarted)).session_id
        await toy.plane.order(
            TerminateSession(
                order_id=uuid4(),
                session_id=session_id,
                by="Bo(bo)",
                reason="terminated",
                message_en="Stop it.",
                message_zh="停止。",
            )
        )
        assert await person.reads() == "ended terminated: Stop it."
    assert (await toy.plane.event(SessionEnded)).reason is EndReason.TERMINATED
    assert Recording.open(io.BytesIO(await sealed(toy))).manifest["end_reason"] == "terminated"


async def test_toy_session_ends_when_its_permission_does(toy: Toy) -> None:
    toy.asset.expires_at = now() + timedelta(seconds=2)
    async with toy.person() as person:
        assert await person.reads() == "ready"
        assert (await person.reads()).startswith("ended grant_expired: ")
    assert (await toy.plane.event(SessionEnded)).reason is EndReason.GRANT_EXPIRED


@pytest.mark.parametrize(
    ("login", "why"), [("alice wrong db-1", "bad_credentials"), ("alice right db-2", "unknown_asset")]
)
async def test_toy_session_is_refused_without_a_grant(toy: Toy, login: str, why: str) -> None:
    async with toy.person(login) as person:
        assert (await person.reads()).startswith(f"refused {why}: ")
    assert not toy.plane.grants
    assert not toy.server.asked


@pytest.mark.parametrize("protocol", [Protocol.VNC, Protocol.SSH])
async def test_protocol_not_supported_for_this_front_is_refused_with_its_own_reason(
    toy: Toy, protocol: Protocol
) -> None:
    toy.asset.protocol = protocol
    async with toy.person() as person:
        assert (await person.reads()).startswith("refused protocol_unsupported: The protocol of this asset")
    ended = await toy.plane.event(SessionEnded)
    assert (ended.reason, ended.ever_active) == (EndReason.PROTOCOL_UNSUPPORTED, False)
    assert protocol.value in ended.detail


async def test_k36_ports_of_the_proxys_own_fronts_are_not_dialled(toy: Toy) -> None:
    toy.asset.port = toy.port
    async with toy.person() as person:
        assert (await person.reads()).startswith("refused unreachable: ")
    assert (await toy.plane.event(SessionEnded)).detail == "dial refused: own service"


async def test_refused_password_of_the_target_ends_the_session(toy: Toy) -> None:
    toy.asset.system_users[0].password = "wrong"
    async with toy.person() as person:
        assert (await person.reads()).startswith("refused credential_refused: ")
    assert (await toy.plane.event(SessionEnded)).reason is EndReason.CREDENTIAL_REFUSED


def test_two_connectors_for_one_protocol_are_an_error() -> None:
    connectors = Connectors()
    link: type = object
    connectors.add(Protocol.MYSQL, object(), link)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two connectors for mysql"):
        connectors.add(Protocol.MYSQL, object(), link)  # type: ignore[arg-type]


def test_toy_imports_the_core_and_no_other_protocol_or_the_composition() -> None:
    folder = Path(__file__).parent
    for path in folder.glob("*.py"):
        if path.name.startswith("test_"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("postern."):
                assert (node.module or "").startswith(
                    ("postern.contracts.", "postern.kernel.", "postern.proxies.core.")
                ), f"{path.name}: {node.module}"
