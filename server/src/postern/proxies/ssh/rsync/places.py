"""Locates the names of a list on the host, by the paths on the command line."""

from dataclasses import dataclass
from typing import Final

from postern.proxies.ssh.rsync.command import Command

_CUT: Final = b"/./"


@dataclass(frozen=True)
class _Source:
    """One downloaded path. `top` is the first level of its names; empty if they are the content of the folder."""

    folder: bytes
    top: bytes


class Places:
    """Prepends the folder to a name. A name whose folder the command line does not determine is left unchanged."""

    def __init__(self, command: Command) -> None:
        paths = [path.encode("utf-8", "surrogateescape") for path in command.paths]
        self._download = command.download
        self._target = paths[0]
        self._relative = command.relative
        self._sources = [_relative(path) if command.relative else _plain(path) for path in paths]

    def of(self, path: bytes, *, is_alone: bool = False) -> bytes:
        """Return the location of a name. `is_alone` is set for the only entry, which an upload may rename on the
        host.
        """
        if self._download:
            return self._at_source(path)
        if is_alone and not self._target.endswith(b"/"):
            # The host stores it in a folder of this name if one exists, otherwise under this name. Only the host knows.
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
