"""Action bits in the API: lists of names (contract: perms, "Action bits"). Pure functions."""

from collections.abc import Iterable
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from postern.contracts.enums import Actions

#: In the order of the API. `forward` is given by its own name only: `all` does not include it.
ACTION_NAMES: Final[dict[str, Actions]] = {
    "all": Actions.ALL,
    "connect": Actions.CONNECT,
    "upload_file": Actions.UPLOAD_FILE,
    "download_file": Actions.DOWNLOAD_FILE,
    "updownload": Actions.UPDOWNLOAD,
    "clipboard_copy": Actions.CLIPBOARD_COPY,
    "clipboard_paste": Actions.CLIPBOARD_PASTE,
    "clipboard_copy_paste": Actions.CLIPBOARD_COPY_PASTE,
    "forward": Actions.FORWARD,
}

ACTION_WORDS: Final[dict[str, Promise]] = {
    "all": gettext_lazy("All"),
    "connect": gettext_lazy("Connect"),
    "upload_file": gettext_lazy("Upload file"),
    "download_file": gettext_lazy("Download file"),
    "updownload": gettext_lazy("Upload download"),
    "clipboard_copy": gettext_lazy("Clipboard copy"),
    "clipboard_paste": gettext_lazy("Clipboard paste"),
    "clipboard_copy_paste": gettext_lazy("Clipboard copy paste"),
    "forward": gettext_lazy("Port forwarding to the host"),
}
#: Names that include several other actions.
_COMBINED: Final = frozenset({"all", "updownload", "clipboard_copy_paste"})


def to_names(bits: int) -> list[str]:
    """All names whose bits are all set: 7 is connect, upload_file, download_file, updownload."""
    return [name for name, action in ACTION_NAMES.items() if bits & action == action]


def in_words(names: Iterable[str]) -> list[str]:
    """The single actions among these names, in the language of the request. Other texts stay as they are."""
    return [str(ACTION_WORDS.get(name, name)) for name in names if name not in _COMBINED]


def from_names(names: Iterable[str]) -> Actions:
    """The combined bits of all names. Raises `KeyError` for an unknown name."""
    bits = Actions.NONE
    for name in names:
        bits |= ACTION_NAMES[name]
    return bits
