"""Where the names of a list lie on the host, by the paths on the command line."""

from dataclasses import dataclass
from typing import Final

from postern.proxies.ssh.rsync.command import Command

_CUT: Final = b"/./"


@dataclass(frozen=True)
class _Source:
    """One path that is downloaded. `top`: the first level of its names; empty: whatever is in the folder."""

    folder: bytes
    top: bytes


class Places:
    """Puts the folder before a name. A name whose folder the command line does not tell stays as it is."""

    def __init__(self, command: Command) -> None:
        paths = [path.encode("utf-8", "surrogateescape") for path in command.paths]
        self._download = command.download
        self._target = paths[0]
        self._relative = command.relative
        self._sources = [_relative(path) if command.relative else _plain(path) for path in paths]

    def of(self, path: bytes, *, is_alone: bool = False) -> bytes:
        """The place of a name. `is_alone`: it is the only one, so that an upload may bear another name on the host."""
        if self._download:
            return self._at_source(path)
        if is_alone and not self._target.endswith(b"/"):
            # Into a folder of this name if there is one, otherwise under this name: only the host knows.
            return path + b" -> " + self._target
        return _joined(self._target, path)

    def _at_source(self, path: bytes) -> bytes:
        if self._relative:
            folders = {source.folder for source in self._sources}
        else:
            top = path.lstrip(b"/").partition(b"/")[0]
            folders = {source.folder for source in self._sources if source.top in (b"", top)}
        return _joined(folders.pop(), path) if len(folders) == 1 else path


def _joined(folder: bytes, path: bytes) -> bytes:
    if path == b".":
        return folder or path
    return (folder.rstrip(b"/") + b"/" if folder else b"") + path.lstrip(b"/")


def _plain(path: bytes) -> _Source:
    folder, slash, name = path.rpartition(b"/")
    if name in (b"", b".", b".."):
        return _Source(path if name == b".." else folder or slash or b".", b"")
    return _Source(folder or slash, name)


def _relative(path: bytes) -> _Source:
    before, cut, _ = path.partition(_CUT)
    if cut:
        return _Source(before or b"/", b"")
    return _Source(b"/" if path.startswith(b"/") else b"", b"")
