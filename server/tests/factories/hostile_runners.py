"""A link to a runner that a host has taken over."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import NamedTemporaryFile
from typing import Any

import msgspec

from peers import hostile_runner
from postern.apps.jobs.hosts.link import RunnerLink


@contextmanager
def hostile(*frames: Any) -> Iterator[RunnerLink]:
    """The link; the runner answers each task with these frames. Bytes are sent as they are."""
    with NamedTemporaryFile() as said:
        said.write(msgspec.msgpack.encode(frames))
        said.flush()
        link = RunnerLink([sys.executable, hostile_runner.__file__, said.name], {})
        try:
            yield link
        finally:
            link.kill()
            link.close()
