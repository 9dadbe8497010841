"""Recorded rsync transfers that never change, and a real rsync as the receiver of such a stream, flipped or not.

Run as a program, this file makes the recordings anew: `python -m peers.rsync_receiver`, from `server/tests`.
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
#: Of many that begin alike, some share their beginning with the one before, in whatever order a folder lists them.
_FILES: Final = ("alpha", "alphabet", "alphabetic", "alphanumeric", "b/beta", "b/betas", "b/betatron", "b/c/gamma")
#: What the receiver says of each file that it takes: its name, and then that the content has come with its sum.
_TELLING: Final = ("--msgs2stderr", "--debug=recv1,deltasum2")
#: A message without an end of line, from the sender, may stand before it.
_NAME: Final = re.compile(rb"recv_files\((.*)\)\Z", re.DOTALL)
_TAKEN: Final = b"got file_sum"
_ESCAPE: Final = re.compile(rb"\\#([0-7]{3})")
#: It says all of it in milliseconds. Some broken streams make rsync wait for itself for ever.
_LONGEST_S: Final = 20


@dataclass(frozen=True)
class Stream:
    """One recorded transfer, and how it was made."""

    options: str
    upload: bool
    recorded: Recorded


@dataclass(frozen=True)
class Taken:
    """The files that a receiver took, in order; `failed`: it gave up the transfer."""

    names: list[bytes]
    failed: bool


def recorded_streams() -> list[Stream]:
    """Short transfers of each kind, with a list, folders, links, contents and an update."""
    return [
        Stream(
            one["options"],
            one["upload"],
            Recorded(
                one["command"].encode(),
                tuple((side == "<", bytes.fromhex(data)) for side, data in one["pieces"]),
                0,
                "",
            ),
        )
        for one in json.loads(_STREAMS.read_text())
    ]


def take(folder: Path, stream: Stream, pieces: Iterable[tuple[bool, bytes]]) -> Taken:
    """Feed the sender's direction of `pieces` to a real rsync, in an empty `folder`, and hear which files it takes."""
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
    """What the receiver has already; returns the content of the files that are sent."""
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
