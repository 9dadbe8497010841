"""Names of files: bytes on the host, text for the eye, ids on the wire."""

import base64
import binascii
import unicodedata
from typing import Final

from postern.contracts.files import Name
from postern.proxies.core.charset import codec_of

MAX_NAME_BYTES: Final = 255
MAX_PATH_BYTES: Final = 4096
#: Categories of characters that have no shape or change the order of others: controls, formats (marks of direction,
#: joiners), line and paragraph separators.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
#: Letters and symbols that are drawn as nothing.
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


class NotAName(Exception):
    """An id or a path that no answer of this proxy contained."""


def readable_or_none(name: bytes, charset: str) -> str | None:
    """Return a name as text: UTF-8, else the asset's charset. None if it is no text."""
    for codec in ("utf-8", codec_of(charset)):
        try:
            return name.decode(codec)
        except UnicodeDecodeError:
            continue
    return None


def readable(name: bytes, charset: str) -> str:
    """Return a name as text, with escapes for the bytes that are no text."""
    text = readable_or_none(name, charset)
    return name.decode("utf-8", "backslashreplace") if text is None else text


def visible(text: str) -> str:
    """Return a text in which each character that cannot be seen is replaced by a sign for it."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_sign, text))


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if character in _BLANK or unicodedata.category(character) in _UNSEEN:
        return f"\u27e6U+{code:04X}\u27e7"
    return character


def shown(name: bytes, charset: str) -> str:
    """Return a name for the eye."""
    return visible(readable(name, charset))


def name_of(name: bytes, charset: str) -> Name:
    return Name(text=shown(name, charset), id=id_of(name))


def id_of(name: bytes) -> str:
    return base64.urlsafe_b64encode(name).rstrip(b"=").decode()


def name_from(name_id: str) -> bytes:
    """Return the bytes of an id. Raises NotAName for what `id_of` does not make of a possible name."""
    try:
        name = base64.b64decode(name_id + "=" * (-len(name_id) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotAName from error
    if id_of(name) != name_id or not is_name(name):
        raise NotAName
    return name


def is_name(name: bytes) -> bool:
    """Whether a folder could hold a file of this name."""
    return 0 < len(name) <= MAX_NAME_BYTES and name not in {b".", b".."} and b"/" not in name and b"\0" not in name


def path_from(text: str) -> bytes:
    """Return the absolute path of ids that are joined with "/"; "" is the root. Raises NotAName."""
    if not text:
        return b"/"
    path = b"".join(b"/" + name_from(name_id) for name_id in text.split("/"))
    if len(path) > MAX_PATH_BYTES:
        raise NotAName
    return path


def names_of(path: bytes, charset: str) -> tuple[Name, ...]:
    """Return the names of an absolute path, from the root of the host."""
    return tuple(name_of(name, charset) for name in path.split(b"/") if name)


def within(folder: bytes, name: bytes) -> bytes:
    return (b"" if folder == b"/" else folder) + b"/" + name


def split(path: bytes) -> tuple[bytes, bytes]:
    """Return the folder and the name of an absolute path; the root has no name."""
    folder, _, name = path.rpartition(b"/")
    return folder or b"/", name
