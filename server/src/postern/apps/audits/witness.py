"""The witness: a file outside, named by POSTERN_AUDIT_WITNESS, to which each new statement is appended.

It may lie on storage that does not answer. So a thread writes it, and nobody waits longer than a limit.
"""

import logging
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from django.conf import settings

from postern.apps.audits.signed_statements import SignedStatement

log = logging.getLogger(__name__)

#: Seconds after which a checkpoint does not wait for the witness any more.
_LIMIT_S: Final = 10.0

_writing: Final = Lock()


def tell(statements: Sequence[SignedStatement]) -> None:
    """Append statements to the witness, if there is one.

    A failure is logged and stops nothing: the next statement of an organization covers all events of the former ones.
    While a write hangs, no further one is begun.
    """
    path: Path | None = settings.POSTERN.audit_witness
    if path is None or not statements:
        return
    if not _writing.acquire(blocking=False):
        log.error("the checkpoint was not written to the witness %s: an earlier write hangs", path)
        return
    lines = b"".join(statement.line() for statement in statements)
    thread = Thread(target=_write, args=(path, lines), name="audit witness", daemon=True)
    try:
        thread.start()
    except RuntimeError as error:  # no thread can be started
        _writing.release()
        log.error("the checkpoint was not written to the witness %s: %s", path, error)  # noqa: TRY400 - no trace wanted
        return
    thread.join(_LIMIT_S)
    if thread.is_alive():
        log.error("the witness %s does not answer; checkpoints go on without it", path)


def _write(path: Path, lines: bytes) -> None:
    try:
        _append(path, lines)
    except OSError as error:
        log.error("the checkpoint was not written to the witness %s: %s", path, error)  # noqa: TRY400 - no trace wanted
    finally:
        _writing.release()


def _append(path: Path, lines: bytes) -> None:
    """Append to a regular file. Opening a pipe without a reader would wait for one. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    with os.fdopen(descriptor, "ab") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is not a regular file")
        file.write(lines)
        file.flush()
        os.fsync(descriptor)
