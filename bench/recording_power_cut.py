"""Data loss of a power cut: age of the oldest record that was not on disk (goal: at most a second).

    python bench/recording_power_cut.py [--cuts 6]

A journal is written to ext4 in a file behind a loop device. At random moments the file is copied without a sync,
mounted and sealed. Needs root. The cache of a real disk is not simulated.
"""

import argparse
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final
from uuid import UUID

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]

from proxies.recording.recording_tools import header, journal_in, recorded_output, seal_all  # noqa: E402 - sys.path is extended above

IMAGE_MB: Final = 96
SESSIONS: Final = 20


def run(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


def cut(folder: Path, source: random.Random) -> float:
    """Simulate a power cut. Returns the seconds between the oldest lost record and the cut (0.0: nothing was lost)."""
    image, copy, mounted = folder / "disk", folder / "copy", folder / "mounted"
    mounted.mkdir(exist_ok=True)
    with image.open("wb") as file:
        file.truncate(IMAGE_MB << 20)
    run("mkfs.ext4", "-q", "-F", image)
    run("mount", "-o", "loop", image, mounted)
    written: dict[int, list[float]] = {number: [] for number in range(1, SESSIONS + 1)}
    try:
        journal = journal_in(mounted, segment_bytes=4 << 20, commit_interval_s=0.4)
        recorders = {n: journal.open_session(UUID(int=n), 80, 24, header(UUID(int=n))) for n in written}
        end = time.monotonic() + source.uniform(1.0, 3.0)
        while (now := time.monotonic()) < end:
            for number, recorder in recorders.items():
                recorder.output(b"%07d " % len(written[number]))
                written[number].append(now)
            time.sleep(0.005)
        at = time.monotonic()
        run("cp", "--sparse=always", image, copy)
    finally:
        journal.close()
        run("umount", "-l", mounted)
    run("mount", "-o", "loop", copy, mounted)
    try:
        sealed = {recording.session_id.int: recording for recording in seal_all(mounted)}
        oldest = at
        for number, moments in written.items():
            output = recorded_output(sealed[number]) if number in sealed else b""
            whole = len(output) // 8
            if output[: whole * 8] != b"".join(b"%07d " % place for place in range(whole)):
                raise RuntimeError("the recording is not a beginning of what was written")
            if whole < len(moments):
                oldest = min(oldest, moments[whole])
        return at - oldest
    finally:
        run("umount", "-l", mounted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=6)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        print("skipped: needs root and mkfs.ext4")
        return
    logging.disable(logging.WARNING)
    source = random.Random(2)  # noqa: S311 - moments of the cuts
    with tempfile.TemporaryDirectory() as folder:
        ages = [cut(Path(folder), source) for _ in range(2 if arguments.quick else arguments.cuts)]
    print(f"power cuts {len(ages)}: oldest lost record {min(ages):.2f} to {max(ages):.2f} s old (goal: at most 1.0)")


if __name__ == "__main__":
    main()
