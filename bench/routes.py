"""Postern through an SSH gateway, compared with `ssh -J` through the same sshd: interleaved in one run, as ratios.

    python bench/routes.py [--quick] [--json FILE]

`direct` leads straight to the target, `ssh -J` through the gateway, `postern` through Postern alone, `through` through
Postern and then the gateway. Ratios are to `ssh -J`: above 1 is better for throughput, below 1 for times. The share of
`through` beyond `postern` is what the gateway costs; for the set-up it is what a shared connection to it could save.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ssh import MB, Echo, Place, Way, cpu_s, place, text_file, timed

Paths = tuple[Way, ...]


def paths_of(where: Place) -> Paths:
    return where.direct, where.jump, where.gateway, where.through


class Table:
    """Rows of figures by path."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, what: str, shown: dict[str, str], ratios: dict[str, float]) -> None:
        self.rows.append({"what": what, **shown, "ratios": {name: round(ratio, 2) for name, ratio in ratios.items()}})
        figures = "   ".join(f"{name} {value}" for name, value in shown.items())
        text = "  ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        sys.stdout.write(f"{what:<26} x ssh -J: {text:<30} {figures}\n")
        sys.stdout.flush()

    def times(self, what: str, samples: dict[str, list[float]]) -> None:
        middle = {name: statistics.median(values) * 1000 for name, values in samples.items()}
        late = {name: statistics.quantiles(values, n=20)[18] * 1000 for name, values in samples.items()}
        shown = {name: f"{middle[name]:.2f} / {late[name]:.1f} ms" for name in samples}
        self.add(f"{what} p50 / p95", shown, {name: middle[name] / middle["ssh -J"] for name in ("postern", "through")})


async def echo(where: Place, table: Table, samples: int) -> None:
    echoes = [Echo(path) for path in paths_of(where)]
    for one in echoes:
        await one.start()
    for number in range(samples + 20):
        for turn in range(len(echoes)):
            await echoes[(number + turn) % len(echoes)].once()
        if number < 20:
            for one in echoes:
                one.samples.clear()
        await asyncio.sleep(0.003)
    for one in echoes:
        await one.stop()
    table.times("echo of a key", {one.path.name: one.samples for one in echoes})


async def set_up(where: Place, table: Table, samples: int) -> None:
    times: dict[str, list[float]] = {path.name: [] for path in paths_of(where)}
    cpu = {where.gateway.name: 0.0, where.through.name: 0.0}
    for number in range(samples + 2):
        for path in paths_of(where):
            before = cpu_s(where.gateway_pid)
            times[path.name].append(await timed(path.ssh("echo")))
            if path.name in cpu and number >= 2:
                cpu[path.name] += cpu_s(where.gateway_pid) - before
    table.times("session set-up", {name: values[2:] for name, values in times.items()})
    each = "   ".join(f"{name} {total * 1000 / samples:.1f} ms" for name, total in cpu.items())
    sys.stdout.write(f"{'CPU of Postern each session':<26} {each}\n")


async def throughput(
    where: Place, table: Table, what: str, *, size: int, rounds: int, argv: Callable[[Way], list[str]]
) -> None:
    times: dict[str, list[float]] = {path.name: [] for path in paths_of(where)}
    cpu = {where.gateway.name: 0.0, where.through.name: 0.0}
    for _ in range(rounds):
        for path in paths_of(where):
            before = cpu_s(where.gateway_pid)
            times[path.name].append(await timed(argv(path)))
            if path.name in cpu:
                cpu[path.name] += cpu_s(where.gateway_pid) - before
    shown = {name: f"{size / MB / statistics.median(values):.1f} MB/s" for name, values in times.items()}
    ratios = {
        name: statistics.median(jump / ours for jump, ours in zip(times["ssh -J"], times[name], strict=True))
        for name in ("postern", "through")
    }
    table.add(what, shown, ratios)
    each = "   ".join(f"{name} {total * 1000 / rounds / (size / MB):.1f} ms/MB" for name, total in cpu.items())
    sys.stdout.write(f"{'CPU of Postern':<26} {each}\n")


async def run(*, quick: bool) -> list[dict[str, Any]]:
    table = Table()
    with tempfile.TemporaryDirectory(prefix="postern-bench-") as name:
        folder = Path(name)
        async with place(folder, stock=False) as where:
            await set_up(where, table, 8 if quick else 25)
            await echo(where, table, 100 if quick else 500)
            size, rounds = (4 if quick else 8) * MB, 3 if quick else 5
            text_file(folder / "text", size)
            await throughput(
                where, table, f"terminal output, {size // MB} MB", size=size, rounds=rounds,
                argv=lambda path: path.ssh("-tt", f"cat {folder}/text"),
            )  # fmt: skip
            size = (20 if quick else 60) * MB
            text_file(folder / "bulk", size)
            await throughput(
                where, table, f"bulk output, {size // MB} MB", size=size, rounds=rounds,
                argv=lambda path: path.ssh("-T", f"cat {folder}/bulk"),
            )  # fmt: skip
    return table.rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Postern through a gateway against ssh -J, as ratios of one run.")
    parser.add_argument("--quick", action="store_true", help="less data, fewer rounds")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    arguments = parser.parse_args()
    sys.stdout.write(f"routes: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    rows = asyncio.run(run(quick=arguments.quick))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
