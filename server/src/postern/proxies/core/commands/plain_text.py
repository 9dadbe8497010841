"""Converts terminal output to plain text without escape sequences."""

import re
from typing import Final

_SEQUENCES: Final = re.compile(
    r"\x1b\[[ -?]*[@-~]"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ERASED: Final = re.compile(r"[^\n\x08]\x08")
_PROMPT_MARK: Final = b"\x1b[1m\x1b[7m"
_MAX_ERASING_PASSES: Final = 64


def plain_text(data: bytes) -> str:
    """Return `data` as lines of text, without sequences and control characters. Of overwritten text the last version
    remains.
    """
    text = _SEQUENCES.sub("", data.decode("utf-8", "replace"))
    for _ in range(_MAX_ERASING_PASSES):
        shorter = _ERASED.sub("", text)
        if len(shorter) == len(text):
            break
        text = shorter
    lines = [_last_shown(line) for line in re.sub(r"\r+\n", "\n", text).split("\n")]
    return _CONTROLS.sub("", "\n".join(lines))


def _last_shown(line: str) -> str:
    """A carriage return starts the line again, but one at the very end of the line overwrites nothing."""
    for part in reversed(line.split("\r")):
        if part.strip():
            return part
    return ""


def squeezed(text: str) -> str:
    """Return `text` without white space, so that texts compare equal wherever a terminal has broken the line."""
    return "".join(text.split())


def without_prompt_mark(data: bytes) -> bytes:
    """Remove what zsh prints before a prompt: a mark, blanks up to the margin, and the prompt itself."""
    start = data.rfind(_PROMPT_MARK, data.rfind(b"\n") + 1)
    return data if start < 0 else data[:start]
