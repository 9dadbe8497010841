"""The SSH front compared with `ssh -J` through a second sshd: interleaved in one run, printed as ratios.

    python bench/ssh.py [--quick] [--stock] [--json FILE]

Recording and command detection are on. Everything runs on this machine, so absolute figures mean little; the ratios of
one run are accurate to about a third on a shared machine. `--stock` measures the library's own data path instead of
ours. Ratios above 1 are better for throughput, below 1 for times.
"""

import argparse
import asyncio
import contextlib
import json
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]

import asyncssh  # noqa: E402 - sys.path is extended above

from peers.sshd import Sshd, make_key  # noqa: E402 - sys.path is extended above

MB: Final = 1_000_000
#: 2 KB ten times per second from a single process.
CHATTER: Final = "perl -e '$| = 1; while (1) { print \"x\" x 2000; select(undef, undef, undef, 0.1) }'"
#: The cipher that clients prefer on machines without AES instructions. The library's own data path serves it.
CHACHA: Final = "chacha20-poly1305@openssh.com"
_SMALL_FILES: Final = 500
KEX: Final = "curve25519-sha256"  # the same for all paths: a newer key exchange costs OpenSSH 0.4 s per hop here


@dataclass(frozen=True)
class Way:
    """A path to the target."""

    name: str
    options: tuple[str, ...]
    where: str

    def ssh(self, *more: str) -> list[str]:
        return ["ssh", *self.options, *more[:-1], self.where, more[-1]]


@dataclass
class Place:
    direct: Way
    jump: Way
    gateway: Way
    rooted: Way  # Postern, as a system user with an SFTP root
    through: Way  # Postern, and from there through the sshd that is the jump host of `jump`
    gateway_pid: int
    gateway_port: int
    key: Path
    folder: Path

    @property
    def paths(self) -> tuple[Way, Way, Way]:
        return self.direct, self.jump, self.gateway


def cpu_s(pid: int) -> float:
    """User and system CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MB


@contextlib.asynccontextmanager
async def place(folder: Path, *, stock: bool) -> AsyncIterator[Place]:
    """Target, jump host and gateway, each in its own process."""
    key = make_key(folder / "person_key")
    async with Sshd(folder / "target") as target, Sshd(folder / "jump") as jump:
        known = (
            "-o",
            f"UserKnownHostsFile={folder}/known",
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "LogLevel=ERROR",
        )
        plain = (
            "-F",
            "none",
            *known,
            "-o",
            f"KexAlgorithms={KEX}",
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "IdentityAgent=none",
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(ROOT / "bench" / "peers" / "ssh_gateway.py"), str(folder / "gateway"), str(target.port),
            target.login, str(target.client_key), str(key) + ".pub", str(jump.port), str(jump.client_key), *(["--stock"] if stock else []),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            raise SystemExit("the gateway did not start")
        at = json.loads(line)
        to_jump = f"ssh -F none {' '.join(known)} -o KexAlgorithms={KEX} -i {jump.client_key} -p {jump.port} -W %h:%p 127.0.0.1"
        to_target = (*plain, "-i", str(target.client_key), "-p", str(target.port))
        to_gateway = (*plain, "-i", str(key), "-p", str(at["port"]))
        try:
            yield Place(
                Way("direct", to_target, "127.0.0.1"),
                # Equivalent to -J, written out so that the jump host gets its own key.
                Way("ssh -J", (*to_target, "-o", f"ProxyCommand={to_jump}"), "127.0.0.1"),
                Way("postern", (*to_gateway, "-l", "alice@su@target"), "127.0.0.1"),
                Way("rooted", (*to_gateway, "-l", "alice@rooted@target"), "127.0.0.1"),
                Way("through", (*to_gateway, "-l", "alice@su@behind"), "127.0.0.1"),
                at["pid"],
                at["port"],
                key,
                folder,
            )
        finally:
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()


async def timed(argv: Sequence[str], *, stdin: bytes | None = None) -> float:
    """Wall time of a command that must succeed. Its output is discarded."""
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE if stdin is not None else asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await process.communicate(stdin)
    if process.returncode:
        raise SystemExit(f"{argv[0]} failed with {process.returncode}: {errors.decode(errors='replace')}")
    return time.perf_counter() - begun


class Results:
    """Rows of a table; medians of paired rounds."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def throughput(self, what: str, size: int, rounds: dict[str, list[float]], cpu_ms_per_mb: float) -> None:
        paired = [jump / ours for jump, ours in zip(rounds["ssh -J"], rounds["postern"], strict=True)]
        rates = {name: size / MB / statistics.median(times) for name, times in rounds.items()}
        self._add(
            what,
            {name: f"{rate:.3g} MB/s" for name, rate in rates.items()},
            statistics.median(paired),
            cpu_ms_per_mb,
        )

    def times(self, what: str, samples: dict[str, list[float]]) -> None:
        middle = {name: statistics.median(values) * 1000 for name, values in samples.items()}
        late = {name: statistics.quantiles(values, n=100)[98] * 1000 for name, values in samples.items()}
        shown = {name: f"{middle[name]:.2f} / {late[name]:.1f} ms" for name in samples}
        self._add(what, shown, middle["postern"] / middle["ssh -J"], None)

    def tails(self, what: str, samples: dict[str, list[float]]) -> None:
        """Like `times`, but reports more high percentiles; the ratio is that of p95."""
        shown, p95 = {}, {}
        for name, values in samples.items():
            cuts = [cut * 1000 for cut in statistics.quantiles(values, n=100)]
            p95[name] = cuts[94]
            shown[name] = f"{cuts[49]:.2f} / {cuts[94]:.2f} / {cuts[98]:.1f} ms"
        self._add(f"{what} p50 / p95 / p99", shown, p95["postern"] / p95["ssh -J"], None)

    def _add(self, what: str, shown: dict[str, str], ratio: float, cpu: float | None) -> None:
        self.rows.append(
            {
                "what": what,
                **shown,
                "ratio": round(ratio, 2),
                "gateway_cpu_ms_per_mb": cpu and round(cpu, 1),
            }
        )
        cpu_text = f"   gateway CPU {cpu:.1f} ms/MB" if cpu is not None else ""
        figures = "   ".join(f"{name} {value}" for name, value in shown.items())
        sys.stdout.write(f"{what:<34} {ratio:5.2f} x ssh -J   {figures}{cpu_text}\n")
        sys.stdout.flush()

    def note(self, what: str, text: str, **values: float) -> None:
        self.rows.append({"what": what, **values})
        sys.stdout.write(f"{what:<34} {text}\n")
        sys.stdout.flush()


async def throughput(
    where: Place,
    results: Results,
    what: str,
    *,
    size: int,
    rounds: int,
    argv: Callable[[Way], list[str]],
    more: tuple[Way, ...] = (),
) -> None:
    """Run `argv(path)` over each path alternately, `rounds` times."""
    times: dict[str, list[float]] = {path.name: [] for path in (*where.paths, *more)}
    cpu = 0.0
    for _ in range(rounds):
        for path in (*where.paths, *more):
            before = cpu_s(where.gateway_pid)
            times[path.name].append(await timed(argv(path)))
            if path is where.gateway:
                cpu += cpu_s(where.gateway_pid) - before
    results.throughput(what, size, times, cpu * 1000 / rounds / (size / MB))


async def transfers(where: Place, results: Results, size: int, rounds: int) -> None:
    source, there, back = (where.folder / name for name in ("source", "there", "back"))
    await asyncio.to_thread(source.write_bytes, os.urandom(size))
    batch = where.folder / "batch"
    small = where.folder / "small"
    await asyncio.to_thread(_many_files, small)
    for what, line, total in (
        (f"SFTP put, {size // MB} MB", f"put {source} {there}", size),
        (f"SFTP get, {size // MB} MB", f"get {source} {back}", size),
        (f"SFTP put of {_SMALL_FILES} files of 1 KB", f"put -r {small} {there}.d", _SMALL_FILES * 1000),
        (f"SFTP get of {_SMALL_FILES} files of 1 KB", f"get -r {small} {back}.d", _SMALL_FILES * 1000),
    ):
        await asyncio.to_thread(batch.write_text, line + "\n")

        def argv(path: Way) -> list[str]:
            options = [word.replace("-p", "-P") if word == "-p" else word for word in path.options]
            if "-l" in options:
                at = options.index("-l")
                options[at : at + 2] = ["-o", f"User={options[at + 1]}"]
            return ["sftp", "-q", "-b", str(batch), *options, path.where]

        await throughput(
            where,
            results,
            what,
            size=total,
            rounds=rounds,
            argv=argv,
            more=(where.rooted,),
        )


def _many_files(folder: Path) -> None:
    folder.mkdir()
    for number in range(_SMALL_FILES):
        (folder / str(number)).write_bytes(os.urandom(1000))


class Echo:
    """A remote `cat` on a raw terminal: the round trip of one byte."""

    def __init__(self, path: Way) -> None:
        self.path = path
        self.samples: list[float] = []

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *self.path.ssh("-tt", "stty raw -echo; echo ready; exec cat"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.keys, self.screen = self.process.stdin, self.process.stdout
        await self.screen.readuntil(b"ready\n")

    async def once(self) -> None:
        begun = time.perf_counter()
        self.keys.write(b"x")
        await self.screen.readexactly(1)
        self.samples.append(time.perf_counter() - begun)

    async def stop(self) -> None:
        self.process.kill()
        await self.process.wait()


async def echo(where: Place, results: Results, samples: int, what: str) -> None:
    echoes = [Echo(path) for path in where.paths]
    for one in echoes:
        await one.start()
    for number in range(samples + 20):
        # The first echo after a pause runs with cold caches, so each path is first in turn.
        for place_in_row in range(len(echoes)):
            one = echoes[(number + place_in_row) % len(echoes)]
            await one.once()
            if number < 20:
                one.samples.clear()
        await asyncio.sleep(0.003)
    for one in echoes:
        await one.stop()
    results.times(what, {one.path.name: one.samples for one in echoes})


class Busy:
    """Sessions with a terminal that print 20 KB per second, and a client that discards it."""

    def __init__(self, path: Way, sessions: int) -> None:
        self._path = path
        self._sessions = sessions
        self._processes: list[asyncio.subprocess.Process] = []

    async def __aenter__(self) -> None:
        for _ in range(self._sessions):
            process = await asyncio.create_subprocess_exec(
                *self._path.ssh("-tt", f"stty raw -echo; echo ready; exec {CHATTER}"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            self._processes.append(process)
            assert process.stdout is not None
            await process.stdout.readuntil(b"ready\n")
        self._readers = [asyncio.create_task(self._read(process)) for process in self._processes]

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while await process.stdout.read(1 << 16):
            pass

    async def __aexit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
        await asyncio.gather(*(process.wait() for process in self._processes), *self._readers)


async def echo_under_load(where: Place, results: Results, samples: int, sessions: int) -> None:
    """Echo latency of a key beside busy sessions. Each path has the same number of them at the same time, so both see
    the same load.
    """
    async with Busy(where.jump, sessions), Busy(where.gateway, sessions):
        echoes = [Echo(where.jump), Echo(where.gateway)]
        for one in echoes:
            await one.start()
        await asyncio.sleep(1)
        for number in range(samples):
            for one in echoes if number % 2 else echoes[::-1]:
                await one.once()
                await asyncio.sleep(0.005)
        for one in echoes:
            await one.stop()
    results.tails(f"echo beside {sessions} sessions, 20 KB/s", {one.path.name: one.samples for one in echoes})


async def set_up(where: Place, results: Results, samples: int) -> None:
    times: dict[str, list[float]] = {path.name: [] for path in where.paths}
    before = cpu_s(where.gateway_pid)
    for _ in range(samples):
        for path in where.paths:
            times[path.name].append(await timed(path.ssh("echo")))
    results.times("session set-up p50 / p99", times)
    each_ms = (cpu_s(where.gateway_pid) - before) * 1000 / samples
    results.note("gateway CPU for each session", f"{each_ms:.1f} ms", cpu_ms=each_ms)


async def memory(where: Place, results: Results, sessions: int) -> None:
    """Idle shells with a terminal, opened by a single client process of ours."""
    before = rss_mb(where.gateway_pid)
    connections = []
    for _ in range(sessions):
        connection = await asyncssh.connect(
            "127.0.0.1", where.gateway_port, username="alice@su@target", client_keys=[str(where.key)],
            known_hosts=None, config=None, agent_path=None, kex_algs=[KEX],
        )  # fmt: skip
        await connection.create_process(term_type="xterm", encoding=None)
        connections.append(connection)
    await asyncio.sleep(2)
    after = rss_mb(where.gateway_pid)
    each_kb = (after - before) * 1000 / sessions
    results.note(
        f"memory of {sessions} idle sessions", f"{after - before:.1f} MB, {each_kb:.0f} KB each (gateway {after:.0f} MB)",
        total_mb=after - before, each_kb=each_kb,
    )  # fmt: skip
    for connection in connections:
        connection.abort()
    await asyncio.sleep(0.5)


def text_file(path: Path, size: int) -> None:
    line = b"2026-11-21 09:30:12 INFO  request 4711 of alice done in 12 ms, nothing to complain about\n"
    path.write_bytes((line * (size // len(line) + 1))[:size])


async def run(*, quick: bool, stock: bool) -> list[dict[str, Any]]:
    results = Results()
    with tempfile.TemporaryDirectory(prefix="postern-bench-") as name:
        folder = Path(name)
        async with place(folder, stock=stock) as where:
            rounds = 2 if quick else 4
            await echo(where, results, 100 if quick else 500, "echo of a key p50 / p99")
            await echo_under_load(where, results, 300 if quick else 1000, 50)
            await set_up(where, results, 8 if quick else 25)
            size = 4 * MB if quick else 8 * MB
            text_file(folder / "text", size)
            await throughput(
                where, results, f"terminal output, {size // MB} MB", size=size, rounds=rounds,
                argv=lambda path: path.ssh("-tt", f"cat {folder}/text"),
            )  # fmt: skip
            size = 20 * MB if quick else 60 * MB
            text_file(folder / "bulk", size)
            await throughput(
                where, results, f"bulk output, {size // MB} MB", size=size, rounds=rounds,
                argv=lambda path: path.ssh("-T", f"cat {folder}/bulk"),
            )  # fmt: skip
            await throughput(
                where, results, f"the same with chacha20, {size // MB} MB", size=size, rounds=rounds,
                argv=lambda path: path.ssh("-T", "-c", CHACHA, f"cat {folder}/bulk"),
            )  # fmt: skip
            size = 4 * MB if quick else 8 * MB
            await throughput(
                where, results, f"terminal output with chacha20, {size // MB} MB", size=size, rounds=rounds,
                argv=lambda path: path.ssh("-tt", "-c", CHACHA, f"cat {folder}/text"),
            )  # fmt: skip
            size = 40 * MB if quick else 200 * MB
            await asyncio.to_thread((folder / "noise").write_bytes, os.urandom(size))
            await throughput(
                where, results, f"input of a command, {size // MB} MB", size=size, rounds=2,
                argv=lambda path: ["sh", "-c", shlex.join(path.ssh("-T", "cat > /dev/null")) + f" < {folder}/noise"],
            )  # fmt: skip
            await transfers(where, results, 20 * MB if quick else 100 * MB, rounds)
            await memory(where, results, 50 if quick else 200)
    return results.rows


def main() -> None:
    parser = argparse.ArgumentParser(description="The SSH front against ssh -J, as ratios of one run.")
    parser.add_argument("--quick", action="store_true", help="less data, fewer rounds")
    parser.add_argument("--stock", action="store_true", help="the library's data path instead of ours")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    sys.stdout.write(f"ssh: {os.cpu_count()} cores, load {load:.1f}{', stock data path' if arguments.stock else ''}\n")
    rows = asyncio.run(run(quick=arguments.quick, stock=arguments.stock))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
