"""Logging configuration of all processes: one line per event on standard error, with control characters escaped."""

import logging
import sys
from typing import Final

_FORMAT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"

#: C0 controls, DEL and C1 controls would let hostile text forge log lines or control the operator's terminal.
_ESCAPES: Final = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != 0x09}


def printable(text: str) -> str:
    """`text` with every control character except TAB escaped, so that an event stays on one line."""
    return text.translate(_ESCAPES)


class _OneLineFormatter(logging.Formatter):
    """Escapes the message, but not the line breaks of a traceback, which come from the interpreter."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - name given by the base class
        record.message = printable(record.message)
        return super().formatMessage(record)


def configure(process: str, level: str = "INFO") -> None:
    """Send all logging of this process to standard error; `process` names it (web, proxy, worker …)."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLineFormatter(f"{process} {_FORMAT}"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # These loggers report every connection at INFO; sessions have their own audit trail.
    for chatty in ("asyncssh", "uvicorn", "uvicorn.error", "websockets", "websockets.server"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    # Answers with 4xx and 5xx are logged by the code that produces them, if they are worth it.
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
