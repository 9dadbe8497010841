"""A terminal whose bytes are expensive to search for commands slows down itself and nobody else (issue 6, 3: echo)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fakes.control_plane import FakeControlPlane
from peers.ssh_proxy import make_world, run, ssh_proxy
from peers.sshd import Sshd
from postern.contracts.events import SessionEnded
from postern.proxies.core.commands import CommandDetector

MIB = 1024 * 1024


class Counting(CommandDetector):
    """Counts how much is read in one turn of the event loop, and in total."""

    turn = most = keys = output = 0

    def user_input(self, data: bytes, now_ms: int) -> None:
        Counting.keys += len(data)
        self._count(data)
        super().user_input(data, now_ms)

    def target_output(self, data: bytes, now_ms: int) -> None:
        Counting.output += len(data)
        self._count(data)
        super().target_output(data, now_ms)

    def _count(self, data: bytes) -> None:
        if not Counting.turn:
            asyncio.get_running_loop().call_soon(self._next_turn)
        Counting.turn += len(data)
        Counting.most = max(Counting.most, Counting.turn)

    @staticmethod
    def _next_turn() -> None:
        Counting.turn = 0


@pytest.fixture(autouse=True)
def fresh() -> None:
    Counting.turn = Counting.most = Counting.keys = Counting.output = 0


@pytest.mark.parametrize("fast", [True, False], ids=["our data path", "the library's"])
@pytest.mark.parametrize("flood", [b"\r" * (MIB // 2), b"a\x03" * (MIB // 16)], ids=["Enter", "Ctrl-C"])
async def test_flood_of_keys_is_read_in_short_turns_and_arrives_completely(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path, flood: bytes, fast: bool
) -> None:
    async with ssh_proxy(control_plane, tmp_path / "proxy", new_detector=Counting, fast=fast) as proxy:
        world = make_world(proxy, control_plane, sshd)
        command = f"stty raw -echo; echo ready; head -c {len(flood)} > {tmp_path}/there; echo done; sleep 60"
        process = await asyncio.create_subprocess_exec(
            *proxy.ssh(world.login, command, options=("-tt",)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        async with asyncio.timeout(90):
            await process.stdout.readuntil(b"ready\n")
            process.stdin.write(flood)
            await process.stdout.readuntil(b"done\n")
            while Counting.keys < len(flood):  # noqa: ASYNC110 - the detection has no event for it
                await asyncio.sleep(0.01)
        process.kill()
        await process.wait()

        assert (tmp_path / "there").read_bytes() == flood
        await control_plane.event(SessionEnded)
    assert Counting.most < 64 * 1024


async def test_flood_of_output_arrives_completely_and_is_fully_searched(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path
) -> None:
    async with ssh_proxy(control_plane, tmp_path / "proxy", new_detector=Counting) as proxy:
        world = make_world(proxy, control_plane, sshd)
        result = await run(
            proxy.ssh(world.login, "stty raw; yes 'a line of text' | head -c 20000000", options=("-tt",))
        )

        assert result.status == 0
        assert len(result.out) == 20_000_000
        await control_plane.event(SessionEnded)
        (recorder,) = proxy.recordings.recorders.values()
        assert bytes(recorder.written) == result.out
    assert Counting.output == 20_000_000


async def test_data_sent_before_the_end_of_input_arrives_before_it(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path
) -> None:
    async with ssh_proxy(control_plane, tmp_path / "proxy", new_detector=Counting) as proxy:
        world = make_world(proxy, control_plane, sshd)
        keys = b"true\r" * 20_000 + b"echo ran > %s/mark; exit\r" % str(tmp_path).encode()
        shell: Any = "exec bash --norc --noprofile --noediting -i"
        await run(proxy.ssh(world.login, shell, options=("-tt",)), stdin=keys)

        assert (tmp_path / "mark").read_text() == "ran\n"
