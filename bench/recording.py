"""The recording path: cost of a write before its bytes are shown, and of sealing and opening a recording.

    python bench/recording.py [--megabytes 20] [--sessions 100] [--kills 0] [--mutations 0]

`--kills 200` repeats the kill test and `--mutations 10000` the tamper test at their full counts, which takes minutes.
On a shared machine, wall times are accurate to a factor of two, and ratios to about a third.
"""

import argparse
import logging
import os
import random
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import UUID

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]

from postern.contracts.recording import Recording, RecordingHeader, iter_asciicast, offline_verifier, verify  # noqa: E402 - sys.path is extended above
from postern.contracts.vt import Screen  # noqa: E402 - sys.path is extended above
from postern.proxies.core.recording import Journal  # noqa: E402 - sys.path is extended above
from postern.proxies.core.recording.sealer import Sealer  # noqa: E402 - sys.path is extended above
from proxies.recording.recording_tools import KEY  # noqa: E402 - sys.path is extended above

WRITE_BYTES: Final = 1_024


def corpus(size: int) -> bytes:
    """Log lines, coloured text, Chinese and some full-screen drawing; deterministic."""
    source = random.Random(1)  # noqa: S311 - generated text, the same at each run
    parts: list[bytes] = []
    total = 0
    while total < size:
        kind = source.random()
        if kind < 0.5:
            part = (
                f"2026-11-21 09:{source.randrange(60):02d} INFO request {source.randbytes(6).hex()} done\r\n".encode()
            )
        elif kind < 0.8:
            part = f"\x1b[3{source.randrange(8)}m{source.choice(('ok', 'warn', 'fail'))}\x1b[0m test {source.random()}\r\n".encode()
        elif kind < 0.9:
            part = "中文输出的一行文字，带一些说明\r\n".encode()
        else:
            part = b"\x1b[%d;%dH\x1b[7mcell\x1b[0m" % (source.randrange(1, 25), source.randrange(1, 80))
        parts.append(part)
        total += len(part)
    return b"".join(parts)[:size]


def header(number: int) -> RecordingHeader:
    return RecordingHeader(session_id=UUID(int=number), started_at=datetime.now(UTC), columns=80, rows=24)


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def quantiles(samples: list[float]) -> str:
    ordered = sorted(samples)
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"p50 {p50 * 1e6:8.1f}   p99 {p99 * 1e6:8.1f}   max {ordered[-1] * 1e6:10.1f}"


def bench_writes(place: Path, data: bytes, sessions: int) -> None:
    """Cost of a write before its bytes are sent to the person, compared with a bare `write()` of the same bytes."""
    pieces = [data[start : start + WRITE_BYTES] for start in range(0, len(data), WRITE_BYTES)]
    with (place / "bare").open("wb", buffering=0) as file:
        bare = [timed(lambda piece=piece: file.write(piece)) for piece in pieces]
    journal = Journal(place / "journal", reserve_bytes=0)
    journal.start()
    time.sleep(0.6)
    recorders = [journal.open_session(UUID(int=n + 1), 80, 24, header(n + 1)) for n in range(sessions)]
    started = time.perf_counter()
    ours = [timed(lambda n=n, piece=piece: recorders[n % sessions].output(piece)) for n, piece in enumerate(pieces)]
    seconds = time.perf_counter() - started
    print(f"write of {WRITE_BYTES} B, us      bare      {quantiles(bare)}")
    print(f"                          journal   {quantiles(ours)}")
    print(f"  ratio of the sums       {sum(ours) / sum(bare):.2f}")
    print(
        f"  journal throughput      {len(data) / seconds / 1e6:.0f} MB/s, {len(pieces) / seconds:.0f} writes/s, {sessions} sessions"
    )
    time.sleep(1.0)
    print(f"  longest commit          {journal.stats.sync_max_ms:.1f} ms")
    for recorder in recorders:
        recorder.end("user_closed")
    journal.close()


def bench_sealing(place: Path, data: bytes) -> Path:
    """Cost of sealing a recording in CPU time per MB, compared with deflate alone."""
    journal = Journal(place / "journal", reserve_bytes=0)
    journal.start()
    recorder = journal.open_session(UUID(int=1), 80, 24, header(1))
    for start in range(0, len(data), WRITE_BYTES):
        recorder.output(data[start : start + WRITE_BYTES])
    recorder.end("user_closed")
    journal.close()
    sealer = Sealer(place, KEY, Screen)
    cpu = time.process_time()
    sealer.drain()
    cpu = time.process_time() - cpu
    deflate = timed(lambda: zlib.compress(data, 6))
    screen = Screen(80, 24)
    emulation = timed(lambda: screen.feed(data))
    megabytes = len(data) / 1e6
    (sealed,) = sealer.place.spool.pending()
    if sealed.path is None:
        raise RuntimeError("the recording was lost")
    print(
        f"sealing                   {cpu / megabytes * 1000:.0f} ms CPU per MB (deflate alone {deflate / megabytes * 1000:.0f}, emulation alone {emulation / megabytes * 1000:.0f})"
    )
    print(f"  file                    {sealed.size / len(data):.3f} of the raw output, {sealed.size / 1e6:.2f} MB")
    return sealed.path


def bench_reading(path: Path, megabytes: float) -> None:
    """Opening, seeking, verifying, exporting."""
    with path.open("rb") as file:
        opening = timed(lambda: Recording.open(file))
        recording = Recording.open(file)
        source = random.Random(2)  # noqa: S311 - places to seek to
        seeks = [timed(lambda: recording.block_events(source.randrange(len(recording.blocks)))) for _ in range(200)]
        print(f"opening                   {opening * 1000:.1f} ms, 2 reads, {len(recording.blocks)} blocks")
        print(f"seek to a block, us       {quantiles(seeks)}")
        fast = timed(lambda: verify(file, KEY.public))
        slow = timed(lambda: offline_verifier.examine(file, KEY.public))
        print(
            f"verifying                 {fast / megabytes * 1000:.1f} ms per MB; standard library only: {slow / fast:.1f} times as long"
        )
        cast = timed(lambda: sum(len(line) for line in iter_asciicast(recording)))
        print(f"export as asciicast       {cast / megabytes * 1000:.1f} ms per MB")


def bench_kills(count: int) -> None:
    """Kill the writer repeatedly: no byte that was shown may be missing from the recording."""
    from proxies.recording.test_recording_kill import lost_bytes, run_and_kill  # noqa: PLC0415 - needs pytest

    source = random.Random(7)  # noqa: S311 - moments of the kills
    lost = shown_bytes = 0
    for seed in range(count):
        with tempfile.TemporaryDirectory() as folder:
            shown_by_session = run_and_kill(Path(folder), seed, source.uniform(0.0, 0.3))
            shown_bytes += sum(shown_by_session.values())
            lost += lost_bytes(Path(folder), seed, shown_by_session)
    print(f"kill -9, {count} runs          {shown_bytes} bytes shown, {lost} lost")


def bench_mutations(count: int) -> None:
    """Change recordings repeatedly: verification must detect every change."""
    from unit.contracts.recording.test_recording_verification import undetected  # noqa: PLC0415 - needs pytest

    missed, tried = undetected(count, seed=60)
    print(f"mutations                 {tried} tried, {missed} not detected")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="a quarter of the data")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.megabytes = max(1, arguments.megabytes // 4)
    data = corpus(arguments.megabytes * 1_000_000)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/tmp")) as folder:  # noqa: S108 - a folder of our own in it
        writes, sealing = Path(folder) / "writes", Path(folder) / "sealing"
        writes.mkdir()
        sealing.mkdir()
        bench_writes(writes, data, arguments.sessions)
        path = bench_sealing(sealing, data)
        bench_reading(path, arguments.megabytes)
    logging.disable(logging.WARNING)  # hundreds of "incomplete" warnings are expected
    if arguments.mutations:
        bench_mutations(arguments.mutations)
    if arguments.kills:
        bench_kills(arguments.kills)


if __name__ == "__main__":
    main()
