"""Confines a process before it handles what hosts send: memory, new privileges, and for the sealer priority and network."""

import contextlib
import ctypes
import logging
import os
import resource
from typing import Final

log = logging.getLogger(__name__)

_PR_SET_NO_NEW_PRIVS: Final = 38
_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWNET: Final = 0x40000000
_SYS_IOPRIO_SET: Final = {"x86_64": 251, "aarch64": 30}
_IOPRIO_IDLE: Final = 3 << 13
_NICENESS: Final = 10


def confine(memory_bytes: int, *, is_in_background: bool) -> list[str]:
    """Apply each restriction that the system allows, and return their names. Open file descriptors stay usable.

    What runs in the background has a low priority and no network.
    """
    done = []
    libc = ctypes.CDLL(None, use_errno=True)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        done.append("memory")
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        done.append("privileges")
    if is_in_background:
        done += _background(libc)
    return done


def _background(libc: ctypes.CDLL) -> list[str]:
    done = []
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)
        done.append("priority")
    number = _SYS_IOPRIO_SET.get(os.uname().machine)
    if number is not None and libc.syscall(number, 1, 0, _IOPRIO_IDLE) == 0:
        done.append("io priority")
    # A new network namespace has no usable network interface. Needs root or unprivileged user namespaces.
    flags = _CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWUSER | _CLONE_NEWNET
    if libc.unshare(flags) == 0:
        done.append("network")
    return done
