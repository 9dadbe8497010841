"""Output as a person would copy it: without escape sequences."""

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
    """`data` as lines of text: no sequences, no controls; of what was overwritten in a line the last stays."""
    text = _SEQUENCES.sub("", data.decode("utf-8", "replace"))
    for _ in range(_MAX_ERASING_PASSES):
        shorter = _ERASED.sub("", text)
        if len(shorter) == len(text):
            break
        text = shorter
    lines = [_last_shown(line) for line in re.sub(r"\r+\n", "\n", text).split("\n")]
    return _CONTROLS.sub("", "\n".join(lines))


def _last_shown(line: str) -> str:
    """After a carriage return a line is written anew; a return at its very end shows nothing new."""
    for part in reversed(line.split("\r")):
        if part.strip():
            return part
    return ""


def squeezed(text: str) -> str:
    """`text` without any white space: what is left when a terminal has broken a line somewhere."""
    return "".join(text.split())


def without_prompt_mark(data: bytes) -> bytes:
    """Cut what zsh puts before a prompt: a mark, blanks up to the margin, the prompt itself."""
    start = data.rfind(_PROMPT_MARK, data.rfind(b"\n") + 1)
    return data if start < 0 else data[:start]
