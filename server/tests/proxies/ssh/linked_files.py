"""A naive model of a host's files with symbolic links, and an SFTP server over it that notes what each request reaches."""

from dataclasses import dataclass, field

from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_packets import Packet
from proxies.ssh.sftp_bytes import packet

OK, MISSING, FAILED = 0, 2, 4


@dataclass(eq=False)
class File:
    changes: int = 0


@dataclass(eq=False)
class Link:
    target: str
    is_new: bool = False


@dataclass(eq=False)
class Folder:
    entries: "dict[str, Node]" = field(default_factory=dict)


Node = File | Link | Folder
MODES = {Folder: 0o040755, Link: 0o120777, File: 0o100644}


class Gone(Exception):
    pass


class Host:
    """Files by the rules of POSIX: each request is looked up from the top, one name after the other."""

    def __init__(self, home: str) -> None:
        self.top = Folder()
        self.home = home

    def add(self, path: str, node: Node) -> None:
        folder = self.top
        *names, last = path.strip("/").split("/")
        for name in names:
            inner = folder.entries.setdefault(name, Folder())
            assert isinstance(inner, Folder)
            folder = inner
        folder.entries[last] = node

    def walk(self, path: str, *, follow: bool) -> tuple[str, Node | None, Folder, str]:
        """Return the real path, what is there, its folder and its name. A missing end is None. Raises `Gone`."""
        names = [*([] if path.startswith("/") else self.home.split("/")), *path.split("/")]
        trail: list[tuple[str, Folder]] = [("", self.top)]
        links = 0
        while names:
            name = names.pop(0)
            is_last = not any(part not in ("", ".") for part in names)
            if name in ("", "."):
                continue
            if name == "..":
                trail = trail[:-1] or trail
                continue
            node = trail[-1][1].entries.get(name)
            if isinstance(node, Link) and (follow or not is_last):
                links += 1
                if links > 10:
                    raise Gone
                if node.target.startswith("/"):
                    trail = trail[:1]
                names = [*node.target.split("/"), *names]
            elif isinstance(node, Folder):
                trail.append((name, node))
            elif is_last:
                return self._path(trail) + "/" + name, node, trail[-1][1], name
            else:
                raise Gone
        name, here = trail[-1]
        return self._path(trail) or "/", here, (trail[-2] if len(trail) > 1 else trail[-1])[1], name

    @staticmethod
    def _path(trail: list[tuple[str, Folder]]) -> str:
        return "".join(f"/{name}" for name, _ in trail[1:])

    def paths(self) -> "dict[str, Node]":
        found: dict[str, Node] = {}

        def visit(at: str, folder: Folder) -> None:
            for name, node in folder.entries.items():
                found[f"{at}/{name}"] = node
                if isinstance(node, Folder):
                    visit(f"{at}/{name}", node)

        visit("", self.top)
        return found


class LinkedServer:
    """Executes requests on a `Host`. `reached` has the real path of everything that a request read or changed."""

    def __init__(self, host: Host, *, resolves: bool = True) -> None:
        """Without `resolves`, REALPATH only puts the text in order, as some servers do."""
        self.host = host
        self.resolves = resolves
        self.reached: list[tuple[int, str]] = []
        self.handles = 0
        self.open: dict[int, Folder] = {}

    def serve(self, request: Packet) -> bytes:
        try:
            if request.type in (sftp.WRITE, sftp.CLOSE):
                return self._status(request.request_id, OK)
            if request.type == sftp.READDIR:
                return self._list(request.request_id, request.string(4)[0])
            return self._serve(request)
        except Gone:
            return packet(sftp.STATUS, request.request_id, MISSING, b"", b"")

    def _reach(self, number: int, path: str, *, follow: bool) -> tuple[Node | None, Folder, str]:
        real, node, folder, name = self.host.walk(path, follow=follow)
        self.reached.append((number, real))
        return node, folder, name

    def _serve(self, request: Packet) -> bytes:
        number, kind = request.request_id, request.type
        raw, end = request.string(4)
        if kind == sftp.EXTENDED:
            kind_name = raw.decode()
            raw, end = request.string(end)
        else:
            kind_name = str(kind)
        path = raw.decode()
        if kind_name == "expand-path@openssh.com":
            kind, path = sftp.REALPATH, path.replace("~", self.host.home)
        if kind == sftp.REALPATH:
            return self._named(number, self._realpath(number, path))
        if kind in (sftp.STAT, sftp.LSTAT, sftp.OPENDIR, sftp.SETSTAT) or kind_name.startswith(("statvfs", "lsetstat")):
            is_followed = kind != sftp.LSTAT and not kind_name.startswith("lsetstat")
            node, _, _ = self._reach(number, path, follow=is_followed)
            return self._described(number, kind, kind_name, node)
        if kind == sftp.READLINK:
            node, _, _ = self._reach(number, path, follow=False)
            return self._named(number, node.target) if isinstance(node, Link) else self._status(number, FAILED)
        if kind == sftp.OPEN:
            return self._open(number, path, request.number(end))
        if kind == sftp.SYMLINK:
            place, _ = request.string(end)
            node, folder, name = self._reach(number, place.decode(), follow=False)
            return self._status(number, FAILED if node else self._put(folder, name, Link(path, is_new=True)))
        if kind in (sftp.REMOVE, sftp.RMDIR, sftp.MKDIR):
            return self._status(number, self._change(number, kind, path))
        other, _ = request.string(end)
        return self._status(number, self._move(number, kind_name, path, other.decode()))

    def _list(self, number: int, handle: bytes) -> bytes:
        folder = self.open.pop(int.from_bytes(handle, "big"), None)
        if folder is None:
            return self._status(number, 1)
        parts: list[int | bytes] = [len(folder.entries)]
        for name, node in folder.entries.items():
            parts += [name.encode(), name.encode(), 4, MODES[type(node)]]
        return packet(sftp.NAME, number, *parts)

    def _realpath(self, number: int, path: str) -> str:
        if self.resolves:
            real = self.host.walk(path, follow=True)[0]
        else:
            parts: list[str] = []
            for part in (path if path.startswith("/") else f"{self.host.home}/{path}").split("/"):
                if part == "..":
                    parts = parts[:-1]
                elif part not in ("", "."):
                    parts.append(part)
            real = "/" + "/".join(parts)
        self.reached.append((number, real))
        return real

    def _described(self, number: int, kind: int, kind_name: str, node: Node | None) -> bytes:
        if node is None:
            raise Gone
        if kind in (sftp.STAT, sftp.LSTAT):
            return packet(sftp.ATTRS, number, 4, MODES[type(node)])
        if kind == sftp.OPENDIR:
            if not isinstance(node, Folder):
                return self._status(number, FAILED)
            self.open[self.handles + 1] = node
            return self._handle(number)
        if isinstance(node, File) and not kind_name.startswith("statvfs"):
            node.changes += 1
        return self._status(number, OK)

    def _open(self, number: int, path: str, flags: int) -> bytes:
        is_exclusive = flags & sftp.FLAG_CREATE and flags & sftp.FLAG_EXCLUSIVE
        node, folder, name = self._reach(number, path, follow=not is_exclusive)
        if isinstance(node, Folder | Link) or (node is not None and is_exclusive):
            return self._status(number, FAILED)
        if node is None:
            if not flags & sftp.FLAG_CREATE:
                raise Gone
            node = File()
            self._put(folder, name, node)
        node.changes += bool(flags & (sftp.FLAG_WRITE | sftp.FLAG_TRUNCATE))
        return self._handle(number)

    def _change(self, number: int, kind: int, path: str) -> int:
        node, folder, name = self._reach(number, path, follow=False)
        if kind == sftp.MKDIR:
            return FAILED if node else self._put(folder, name, Folder())
        if node is None:
            return MISSING
        if isinstance(node, Folder) is (kind == sftp.REMOVE) or (isinstance(node, Folder) and node.entries):
            return FAILED
        del folder.entries[name]
        return OK

    def _move(self, number: int, kind_name: str, old: str, new: str) -> int:
        node, folder, name = self._reach(number, old, follow=False)
        there, other, new_name = self._reach(number, new, follow=False)
        if node is None:
            return MISSING
        if isinstance(there, Folder) or (there is not None and not kind_name.startswith("posix")):
            return FAILED
        if isinstance(node, Folder) and (kind_name.startswith("hardlink") or self._is_within(other, node)):
            return FAILED
        if not kind_name.startswith("hardlink"):
            del folder.entries[name]
        return self._put(other, new_name, node)

    def _is_within(self, folder: Folder, outer: Folder) -> bool:
        return folder is outer or any(
            isinstance(node, Folder) and self._is_within(folder, node) for node in outer.entries.values()
        )

    @staticmethod
    def _put(folder: Folder, name: str, node: Node) -> int:
        folder.entries[name] = node
        return OK

    def _handle(self, number: int) -> bytes:
        self.handles += 1
        return packet(sftp.HANDLE, number, self.handles.to_bytes(4, "big"))

    @staticmethod
    def _named(number: int, name: str) -> bytes:
        return packet(sftp.NAME, number, 1, name.encode(), name.encode(), 0)

    @staticmethod
    def _status(number: int, code: int) -> bytes:
        return packet(sftp.STATUS, number, code, b"", b"")
