"""Recorded rsync transfers, and a real rsync that receives such a stream, unchanged or with flipped bits.

The recordings are files that stay the same. Run as a program, this file makes them anew: `python -m
peers.rsync_receiver`, from `server/tests`.
"""

import json
import os
import random
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from peers.recorded_rsync import Recorded, transfer

_STREAMS: Final = Path(__file__).with_name("rsync_streams.json")
_BLOCKS: Final = "-B100"
_OPTIONS: Final = (
    "-a --no-D",
    "-az --no-D",
    "-aHc --no-D --no-inc-recursive --delete",
    "-rz --zc=lz4 --protocol=30",
    "-aH --no-D --protocol=31",
    "-rlt --numeric-ids --zc=zlib -z",
)
#: Names with common beginnings, so that a file list contains shortened names in any order of the folder.
_FILES: Final = ("alpha", "alphabet", "alphabetic", "alphanumeric", "b/beta", "b/betas", "b/betatron", "b/c/gamma")
#: Makes the receiver report each file: first its name, then that its content arrived with the checksum.
_TELLING: Final = ("--msgs2stderr", "--debug=recv1,deltasum2")
#: A message of the sender without an end of line may precede it.
_NAME: Final = re.compile(rb"recv_files\((.*)\)\Z", re.DOTALL)
_TAKEN: Final = b"got file_sum"
_ESCAPE: Final = re.compile(rb"\\#([0-7]{3})")
#: The receiver reports everything in milliseconds. Some broken streams make rsync wait for itself for ever.
_LONGEST_S: Final = 20


@dataclass(frozen=True)
class Stream:
    """A recorded transfer and how it was made."""

    options: str
    upload: bool
    recorded: Recorded


@dataclass(frozen=True)
class Taken:
    """The files that a receiver accepted, in order. `failed` means that it gave up the transfer."""

    names: list[bytes]
    failed: bool


def recorded_streams() -> list[Stream]:
    """Short transfers of each kind: a list, folders, links, contents and an update."""
    return [
        Stream(
            stream["options"],
            stream["upload"],
            Recorded(
                stream["command"].encode(),
                tuple((side == "<", bytes.fromhex(data)) for side, data in stream["pieces"]),
                0,
                "",
            ),
        )
        for stream in json.loads(_STREAMS.read_text())
    ]


def take(folder: Path, stream: Stream, pieces: Iterable[tuple[bool, bytes]]) -> Taken:
    """Feed the sender's direction of `pieces` to a real rsync in an empty `folder`, and return the files that it
    accepts.
    """
    _lay_out(folder)
    fed = folder / "fed"
    fed.write_bytes(b"".join(data for from_person, data in pieces if from_person is stream.upload))
    if stream.upload:
        words = shlex.split(stream.recorded.command.decode())
        words[2:2] = _TELLING
        words[-1] = f"{folder}/to/"
    else:
        shell = folder / "shell"
        shell.write_text(f"#!/bin/sh\ncat {fed}\nexec cat >/dev/null\n")
        shell.chmod(0o755)
        words = ["rsync", "-e", str(shell), _BLOCKS, *stream.options.split(), *_TELLING]
        words += [f"host:{folder}/from/", f"{folder}/to/"]
    with fed.open("rb") as bytes_fed:
        rsync = subprocess.Popen(
            words,
            stdin=bytes_fed if stream.upload else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=folder,
            start_new_session=True,
        )
    try:
        said = rsync.communicate(timeout=_LONGEST_S)[1]
    except subprocess.TimeoutExpired:
        os.killpg(rsync.pid, signal.SIGKILL)
        said = rsync.communicate()[1]
    return Taken(_names(said), rsync.returncode != 0)


def _names(said: bytes) -> list[bytes]:
    names, name = [], None
    for line in said.split(b"\n"):
        if match := _NAME.search(line):
            name = _ESCAPE.sub(lambda code: bytes([int(code[1], 8)]), match[1])
        elif line == _TAKEN and name is not None:
            names.append(name)
            name = None
    return names


def _lay_out(folder: Path) -> bytes:
    """Create the files that the receiver already has; returns the content of the files that are sent."""
    (folder / "to" / "b").mkdir(parents=True)
    content = random.Random(5).randbytes(2500)
    (folder / "to" / "b" / "beta").write_bytes(content[:550])
    (folder / "to" / "old").write_bytes(b"")
    return content


def _record() -> None:
    streams = []
    for options in _OPTIONS:
        for upload in (True, False):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                content = _lay_out(folder)
                (folder / "from" / "b" / "c").mkdir(parents=True)
                for path in _FILES:
                    (folder / "from" / path).write_bytes(content[: len(path) * 100])
                os.link(folder / "from" / "alpha", folder / "from" / "b" / "hard")
                (folder / "from" / "link").symlink_to("b/beta")
                here, there = f"{folder}/from/", f"{folder}/to/"
                words = (here, f"host:{there}") if upload else (f"host:{here}", there)
                made = transfer(folder, _BLOCKS, *options.split(), *words)
            pieces = [("<" if from_person else ">", data.hex()) for from_person, data in made.pieces]
            command = made.command.decode()
            streams.append({"options": options, "upload": upload, "command": command, "pieces": pieces})
    _STREAMS.write_text(json.dumps(streams, indent=0) + "\n")


if __name__ == "__main__":
    _record()
