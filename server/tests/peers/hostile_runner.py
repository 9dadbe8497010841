"""Stands in for a runner that a host has taken over: `hostile_runner.py FILE` answers each task with the frames in it.

The file is a list of `FromRunner` frames as MessagePack. Their task is replaced by that of the task. It asks nothing that is
not among them, and ends when the worker closes the pipe.
"""

import sys
from pathlib import Path
from typing import Any

import msgspec

_LENGTH_BYTES = 4


def frame(value: Any) -> bytes:
    data = value if isinstance(value, bytes) else msgspec.msgpack.encode(value)
    return len(data).to_bytes(_LENGTH_BYTES, "big") + data


def main(said: str) -> None:
    answers = msgspec.msgpack.decode(Path(said).read_bytes())
    while head := sys.stdin.buffer.read(_LENGTH_BYTES):
        wish = msgspec.msgpack.decode(sys.stdin.buffer.read(int.from_bytes(head, "big")))
        if wish["type"] != "run":
            continue
        for answer in answers:
            raw = answer if isinstance(answer, bytes) else {**answer, "task": wish["task"]}
            sys.stdout.buffer.write(frame(raw))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
