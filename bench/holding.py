"""Command filters in live sessions: the time that Enter is held, and sessions without filters beside it.

    python bench/holding.py [--quick]

A real ssh client, bash behind a real sshd, and the SSH front with command detection. `hold` is the time from Enter to the
first output after it, minus the same time in a session without filters. Distances are added between front and target.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]

from fakes.control_plane import FakeControlPlane  # noqa: E402 - the path comes first
from peers.ssh_proxy import World, make_world, ssh_proxy  # noqa: E402 - the path comes first
from peers.sshd import Sshd  # noqa: E402 - the path comes first
from postern.proxies.core.commands import CommandDetector  # noqa: E402 - the path comes first
from proxies.holding.delay import distant  # noqa: E402 - the path comes first
from proxies.holding.filters import control, rule  # noqa: E402 - the path comes first
from proxies.holding.stage import shell  # noqa: E402 - the path comes first

KEY_PAUSE_S: Final = 0.008
PLAIN: Final = [*"echo a line of words"]
EDITED: Final = [*"cho a line of words", "\x01", "e", "\x05"]


async def line_times(world: World, keys: list[str], count: int, pause_s: float) -> list[float]:
    """Seconds from Enter to the first output of the target after it, for each of `count` lines."""
    times = []
    async with shell(world) as terminal:
        for _ in range(count):
            for key in keys:
                await terminal.type(key)
                await asyncio.sleep(KEY_PAUSE_S)
            await asyncio.sleep(pause_s)
            begun_s = time.perf_counter()
            await terminal.type("\r")
            await terminal.expect(r"\r\n")
            times.append(time.perf_counter() - begun_s)
            await terminal.expect("at> ")
            await asyncio.sleep(0.05 + pause_s)
    return times


def figures(times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=20)
    return f"{cuts[9] * 1000:7.1f} / {cuts[18] * 1000:7.1f} ms"


async def run(lines: int) -> None:
    print(f"{'round trip, keys':<24} {'without filters p50 / p95':>28} {'with a deny rule':>22} {'hold p50':>10}")
    with tempfile.TemporaryDirectory() as folder:
        async with (
            FakeControlPlane() as plane,
            Sshd(Path(folder) / "target") as sshd,
            ssh_proxy(plane, Path(folder) / "proxy", new_detector=CommandDetector) as proxy,
        ):
            world = make_world(proxy, plane, sshd)
            for round_trip_ms in (0, 20, 80):
                async with distant(sshd.port, round_trip_ms / 1000) as port:
                    world.asset.port = port
                    for name, keys, pause_s in (
                        ("plain", PLAIN, 0.0), ("edited", EDITED, 0.0), ("plain, at rest", PLAIN, round_trip_ms / 500 + 0.05),
                    ):  # fmt: skip
                        world.asset.command_control = control()
                        free = await line_times(world, keys, lines, pause_s)
                        world.asset.command_control = control(rule("touch"))
                        held = await line_times(world, keys, lines, pause_s)
                        hold_ms = 1000 * (statistics.median(held) - statistics.median(free))
                        what = f"{round_trip_ms} ms, {name}"
                        print(f"{what:<24} {figures(free):>28} {figures(held):>22} {hold_ms:7.1f} ms", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    asyncio.run(run(10 if parser.parse_args().quick else 40))
