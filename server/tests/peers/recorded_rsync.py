"""Runs a real rsync on both ends of a pipe and records the transferred bytes in order. Run as a program, it is the
pipe.
"""

import os
import selectors
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PIECE: Final = 32 * 1024
_HEADER: Final = 5
#: A file whose last byte is changed during the transfer of the first content, so that the received file has a wrong
#: sum.
SPOILED: Final = "RECORDED_RSYNC_SPOILED"
#: A file that is removed at the same time.
REMOVED: Final = "RECORDED_RSYNC_REMOVED"
_MEDDLED_AFTER: Final = 256 * 1024


@dataclass(frozen=True)
class Recorded:
    """A recorded transfer: the command line that the host got, and the pieces in the order of their transfer."""

    command: bytes
    pieces: tuple[tuple[bool, bytes], ...]  # (sent by the client?, bytes)
    status: int
    #: The output of rsync itself, with `--itemize-changes` or other options.
    said: str


def transfer(folder: Path, *words: str, environment: dict[str, str] | None = None) -> Recorded:
    """Run `rsync` with these arguments. Arguments that begin with `host:` are on the remote side."""
    taken = folder / "pieces"
    taken.unlink(missing_ok=True)
    shell = f"{sys.executable} {Path(__file__).resolve()} {taken}"
    result = subprocess.run(
        ["rsync", "-e", shell, *words],
        capture_output=True, check=False, timeout=60, env={**os.environ, **(environment or {})}, cwd=folder,
    )  # fmt: skip
    data = taken.read_bytes()
    at = data.index(b"\0") + 1
    command = data[: at - 1]
    pieces = []
    while at < len(data):
        end = at + _HEADER + int.from_bytes(data[at + 1 : at + _HEADER], "big")
        pieces.append((data[at : at + 1] == b"<", data[at + _HEADER : end]))
        at = end
    return Recorded(command, tuple(pieces), result.returncode, result.stdout.decode("utf-8", "surrogateescape"))


def _carry(taken: Path, command: bytes) -> int:
    """Start the command as a shell on the host would, and relay and record its input and output."""
    os.set_blocking(0, True)  # rsync leaves its ends of the pipes non-blocking
    os.set_blocking(1, True)
    with taken.open("wb") as record:
        record.write(command + b"\0")
        child = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("the child has no pipes")
        carried = 0
        both = selectors.DefaultSelector()
        both.register(0, selectors.EVENT_READ, (child.stdin.fileno(), b"<"))
        both.register(child.stdout.fileno(), selectors.EVENT_READ, (1, b">"))
        while both.get_map():
            for key, _ in both.select():
                target, mark = key.data
                data = os.read(key.fd, _PIECE)
                record.write(mark + len(data).to_bytes(4, "big") + data if data else b"")
                record.flush()
                if carried <= _MEDDLED_AFTER < carried + len(data):
                    _meddle()
                carried += len(data)
                if not data:
                    both.unregister(key.fd)
                    if target != 1:
                        child.stdin.close()
                    elif 0 in both.get_map():
                        both.unregister(0)
                while data:
                    try:
                        data = data[os.write(target, data) :]
                    except BrokenPipeError:
                        data = b""
        return child.wait()


def _meddle() -> None:
    if SPOILED in os.environ:
        with Path(os.environ[SPOILED]).open("r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read(1)
            file.seek(-1, os.SEEK_END)
            file.write(bytes([last[0] ^ 0xFF]))
    if REMOVED in os.environ:
        Path(os.environ[REMOVED]).unlink()


if __name__ == "__main__":
    sys.exit(_carry(Path(sys.argv[1]), " ".join(sys.argv[3:]).encode("utf-8", "surrogateescape")))
