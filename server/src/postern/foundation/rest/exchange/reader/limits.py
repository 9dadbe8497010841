"""Limits of the child process and of the file that it reads."""

import os
import resource
from typing import Final

MEMORY_BYTES: Final = 512 * 1024 * 1024
CPU_S: Final = 20
OUTPUT_BYTES: Final = 128 * 1024 * 1024
_NICENESS: Final = 10

MAX_ROWS: Final = 20_000
MAX_COLUMNS: Final = 256
MAX_CELL_CHARS: Final = 1_000_000
MAX_PARTS: Final = 64
MAX_UNPACKED_BYTES: Final = 100 * 1024 * 1024
MAX_RATIO: Final = 100
#: An archive member this small cannot be a zip bomb, whatever its compression ratio.
RATIO_FREE_BYTES: Final = 1024 * 1024


def confine() -> None:
    """Limit memory, CPU time and output; lower the priority; disable core dumps."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_BYTES, OUTPUT_BYTES))
    os.nice(_NICENESS)


def close_the_door() -> None:
    """Make it impossible to open a file or a socket, since each needs a new file descriptor, and to start a process.

    Standard input, output and error stay open. The kernel does not limit the processes of root; a service should not
    run as root.
    """
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
