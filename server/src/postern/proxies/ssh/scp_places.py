"""Locates the files of an scp transfer on the host, by the command line's paths and the names that the source sends.

The source sends only a name. Whether an upload is stored under that name in a folder, or in the file that the path
names, only the host knows. The log then shows both, `name -> path`.
"""

import re
from typing import Final

from postern.proxies.ssh.shown_path import PAIR_CHARS, shortened, shown

#: Characters that a shell replaces with other names in the same folder.
_PATTERN: Final = re.compile(rb"[*?\[{]")
#: Characters that a shell may replace with anything, unless they were quoted.
_SYNTAX: Final = re.compile(rb"[$`;|&<>()\r\n]")
_FOLDERS: Final = frozenset({b"", b".", b".."})
#: Stand-ins for a source's name: any name that the host sends may match, or none does. No name contains a slash.
_ANY: Final = "/any"
_UNKNOWN: Final = "/unknown"


class ScpPlaces:
    """The paths of one `scp -t` or `scp -f`. Without paths a name is left unchanged."""

    def __init__(self, paths: tuple[bytes, ...], *, upload: bool, is_into_folder: bool = False) -> None:
        self._upload = upload
        self._shown = shown(b" ".join(paths), PAIR_CHARS)
        self._folder: str | None = None  # the folder of all uploads, if certain
        if upload and len(paths) == 1 and (is_into_folder or paths[0].rpartition(b"/")[2] in _FOLDERS):
            self._folder = shown(paths[0] or b".")
        self._sources = [_source(path) for path in paths]

    def of(self, name: str) -> str:
        """Return the location of a file. `name` is the source's name for it, preceded by its folders."""
        folder = self._folder if self._upload else self._folder_of_source(name)
        if folder is not None:
            return shortened(_joined(folder, name))
        if not self._shown:
            return shortened(name)
        name = shortened(name, PAIR_CHARS)
        return f"{name} -> {self._shown}" if self._upload else f"{self._shown} -> {name}"

    def _folder_of_source(self, name: str) -> str | None:
        """Return the folder of a downloaded name if the command line determines it, else None."""
        top = name.partition("/")[0]
        folders = {folder for folder, source in self._sources if source in (top, _ANY)}
        return folders.pop() if len(folders) == 1 else None


def _source(path: bytes) -> tuple[str, str]:
    """Return the folder of a path and the name in it."""
    folder, slash, name = (path.rstrip(b"/") or path).rpartition(b"/")
    if _PATTERN.search(folder) or _SYNTAX.search(path):
        return "", _UNKNOWN
    return shown(folder or slash), _ANY if _PATTERN.search(name) else shown(name)


def _joined(folder: str, name: str) -> str:
    return f"{folder.removesuffix('/')}/{name}" if folder else name
