"""Logging configuration of all processes: one line per event on standard error, with control characters escaped."""

import logging
import sys
from typing import Final

from postern.kernel.visible_text import StandIns, is_disguise

_FORMAT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


def _escape(code: int) -> int | str:
    if code == ord("\t") or not is_disguise(chr(code), lines=False):
        return code
    return f"\\x{code:02x}" if code < _LATIN else f"\\u{code:04x}"


_LATIN: Final = 0x100
_ESCAPES: Final = StandIns(_escape)


def printable(text: str) -> str:
    """`text` on one line, with every character except TAB escaped that a reader would not see.

    Control characters would let hostile text forge log lines or control the operator's terminal; others would reverse or
    hide a part of it.
    """
    return text if text.isascii() and text.isprintable() else text.translate(_ESCAPES)


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
