"""Action bits in the API: lists of names (contract: perms, "Action bits"). Pure functions."""

from collections.abc import Iterable
from typing import Final

from postern.contracts.enums import Actions

#: In the order of the API.
ACTION_NAMES: Final[dict[str, Actions]] = {
    "all": Actions.ALL,
    "connect": Actions.CONNECT,
    "upload_file": Actions.UPLOAD_FILE,
    "download_file": Actions.DOWNLOAD_FILE,
    "updownload": Actions.UPDOWNLOAD,
    "clipboard_copy": Actions.CLIPBOARD_COPY,
    "clipboard_paste": Actions.CLIPBOARD_PASTE,
    "clipboard_copy_paste": Actions.CLIPBOARD_COPY_PASTE,
}


def to_names(bits: int) -> list[str]:
    """All names whose bits are all set: 7 is connect, upload_file, download_file, updownload."""
    return [name for name, action in ACTION_NAMES.items() if bits & action == action]


def from_names(names: Iterable[str]) -> Actions:
    """The combined bits of all names. Raises `KeyError` for an unknown name."""
    bits = Actions.NONE
    for name in names:
        bits |= ACTION_NAMES[name]
    return bits
