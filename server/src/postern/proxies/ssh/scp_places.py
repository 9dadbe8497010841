"""Where the files of an scp transfer lie on the host: the paths of the command line, and the names that the source sends.

The source says a name only. Whether an upload goes to that name in a folder, or to a file that the path itself names, is
known to the host alone: the log then shows both, `name -> path`.
"""

import re
from typing import Final

from postern.proxies.ssh.shown_path import PAIR_CHARS, shortened, shown

#: What a shell puts other names of the same folder for.
_PATTERN: Final = re.compile(rb"[*?\[{]")
#: What it may put anything for, unless it was quoted.
_SYNTAX: Final = re.compile(rb"[$`;|&<>()\r\n]")
_FOLDERS: Final = frozenset({b"", b".", b".."})
#: In the place of a source's name: whatever the host sends may be it, or nothing is. No name holds a slash.
_ANY: Final = "/any"
_UNKNOWN: Final = "/unknown"


class ScpPlaces:
    """The paths of one `scp -t` or `scp -f`. Without paths a name stays as it is."""

    def __init__(self, paths: tuple[bytes, ...], *, upload: bool, is_into_folder: bool = False) -> None:
        self._upload = upload
        self._shown = shown(b" ".join(paths), PAIR_CHARS)
        self._folder: str | None = None  # the one that all uploads go into
        if upload and len(paths) == 1 and (is_into_folder or paths[0].rpartition(b"/")[2] in _FOLDERS):
            self._folder = shown(paths[0] or b".")
        self._sources = [_source(path) for path in paths]

    def of(self, name: str) -> str:
        """`name`: what the source calls the file, behind the folders that it is in."""
        folder = self._folder if self._upload else self._folder_of_source(name)
        if folder is not None:
            return shortened(_joined(folder, name))
        if not self._shown:
            return shortened(name)
        name = shortened(name, PAIR_CHARS)
        return f"{name} -> {self._shown}" if self._upload else f"{self._shown} -> {name}"

    def _folder_of_source(self, name: str) -> str | None:
        """The folder that a downloaded name is in, if the command line leaves no choice."""
        top = name.partition("/")[0]
        folders = {folder for folder, source in self._sources if source in (top, _ANY)}
        return folders.pop() if len(folders) == 1 else None


def _source(path: bytes) -> tuple[str, str]:
    """Folder of a path, and the name in it."""
    folder, slash, name = (path.rstrip(b"/") or path).rpartition(b"/")
    if _PATTERN.search(folder) or _SYNTAX.search(path):
        return "", _UNKNOWN
    return shown(folder or slash), _ANY if _PATTERN.search(name) else shown(name)


def _joined(folder: str, name: str) -> str:
    return f"{folder.removesuffix('/')}/{name}" if folder else name
