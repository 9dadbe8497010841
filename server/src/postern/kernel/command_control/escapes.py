"""Backslash escapes of `$'…'`, `echo -e` and `printf`."""

import re
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|x\{([0-9A-Fa-f]{1,6})\}|0?([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)
_NAMED: Final = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_BYTES: Final = re.compile("[\x80-\xff]+")


def unescaped(text: str) -> str:
    """The text with its escapes replaced. Escapes that no shell knows stay as they are."""
    if "\\" not in text:
        return text
    return _joined_bytes(_ESCAPE.sub(_value, text))


def _value(match: re.Match[str]) -> str:
    for group in (1, 2, 3, 4):
        if match[group]:
            return _character(int(match[group], 16))
    if match[5]:
        return _character(int(match[5], 8) & 0xFF)
    if match[6]:
        return chr(ord(match[6].upper()) & 0x1F)
    return _NAMED.get(match[7], match[0])


def _character(code: int) -> str:
    # NUL ends the text in a shell; characters beyond Unicode and halves of pairs have no meaning.
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or 0xE000 <= code <= 0xE004:
        return ""
    return chr(code)


def _joined_bytes(text: str) -> str:
    """UTF-8 that was written byte by byte as characters."""

    def decoded(match: re.Match[str]) -> str:
        return match[0].encode("latin-1").decode("utf-8", "replace")

    return _BYTES.sub(decoded, text)
