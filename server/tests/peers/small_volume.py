"""A small volume for tests that fill a disk: a tmpfs, which only root can mount."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_volume(place: Path, *, megabytes: int) -> Iterator[Path]:
    """Mount a volume at `place` until the end of the block. Skips the test where mounting is impossible."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small volume needs root")
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", place],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no tmpfs here: {mounted.stderr}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def fill(volume: Path) -> Path:
    """Fill a volume to its last byte. Deleting the returned file frees the space again.

    May be called again when space became free meanwhile.
    """
    filler = volume / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size):
                    pass
    return filler
