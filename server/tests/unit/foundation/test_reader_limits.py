"""The child that reads uploaded files can neither open anything nor start a process (K71)."""

import subprocess
import sys
from pathlib import Path

import postern.foundation.rest.exchange.reader.limits as reader_limits

#: The module itself, which imports the standard library only, and then each thing that hostile code would try.
_TRY = """
import os, socket
if os.geteuid() == 0:
    os.setuid(65534)  # root may always start processes
confine()
close_the_door()
for attempt in (lambda: os.open("/dev/null", os.O_RDONLY), lambda: socket.socket(), os.fork):
    try:
        attempt()
        print("possible")
    except OSError:
        print("refused")
"""


def test_reader_opens_nothing_and_starts_no_process() -> None:
    source = Path(reader_limits.__file__).read_text() + _TRY
    done = subprocess.run([sys.executable, "-I", "-"], input=source, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["refused"] * 3, done.stderr
