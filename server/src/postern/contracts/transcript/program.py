"""`python -m postern.contracts.transcript.program [times]`: writes the text of a recording, in a process of its own.

Standard input is the file of the recording, standard output gets UTF-8. What hosts have sent is hostile, and emulating a
terminal takes about 100 ms of CPU time for each MB, so the process has limits and a low priority.
"""

import contextlib
import os
import resource
import sys
from typing import Final

from postern.contracts.recording.format import RecordingUnreadable
from postern.contracts.recording.reader import Recording
from postern.contracts.transcript.text import iter_text

_MEMORY_BYTES: Final = 1024 * 1024 * 1024
_CPU_S: Final = 1_800
_TEXT_BYTES: Final = 4 * 1024 * 1024 * 1024
_NICENESS: Final = 10
_UNREADABLE: Final = "[This recording cannot be read. Verify it on its page.]\n"


def _confine() -> None:
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_TEXT_BYTES, _TEXT_BYTES))
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)


def main() -> int:
    """Exit status: 0 when the whole text was written, 3 when the file is no recording that can be read."""
    _confine()
    out = sys.stdout.buffer
    try:
        for text in iter_text(Recording.open(sys.stdin.buffer), times="times" in sys.argv[1:]):
            out.write(text.encode("utf-8", "replace"))
        out.flush()
    except BrokenPipeError:  # the reader went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    except RecordingUnreadable:
        out.write(_UNREADABLE.encode())
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
