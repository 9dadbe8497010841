"""Simple scp implementations for tests: they read byte by byte and behave like OpenSSH, with random errors."""

import random
from collections.abc import Generator, Iterator
from dataclasses import dataclass

#: Reads bytes one by one.
Reading = Generator[None, int]


class Halt(Exception):
    """This side exits."""


@dataclass
class Carried:
    """A file that was announced, and its outcome."""

    path: str
    is_open: bool = False
    size: int = 0
    success: bool = False
    named_at: int = 0  # index in the source's output: after the line, before the content
    content_at: int = 0

    @property
    def entry(self) -> tuple[str, int, bool]:
        return self.path, self.size, self.success


class End:
    """One side. `out` is what it has written; `files` what it knows about files."""

    def __init__(self, source: random.Random, trouble: float) -> None:
        self.random = source
        self.trouble = trouble
        self.out = bytearray()
        self.files: list[Carried] = []
        self.has_exited = False
        self._reading = self.main()
        self._step(None)

    def feed(self, data: bytes) -> None:
        for byte in data:
            self._step(byte)

    def _step(self, byte: int | None) -> None:
        if self.has_exited:
            return
        try:
            if byte is None:
                next(self._reading)
            else:
                self._reading.send(byte)
        except (StopIteration, Halt):
            self.has_exited = True

    def main(self) -> Reading:
        raise NotImplementedError

    def fails(self) -> bool:
        return self.random.random() < self.trouble

    def line(self, first: int | None = None) -> Generator[None, int, bytes]:
        """Read up to the newline, or at most 2,047 bytes."""
        line = bytearray() if first is None else bytearray([first])
        if first is None:
            line.append((yield))
        while True:
            line.append((yield))
            if line[-1] == ord("\n") or len(line) == 2047:
                return bytes(line)

    def response(self) -> Generator[None, int, bool]:
        first = yield
        if first == 0:
            return True
        yield from self.line(first)
        if first != 1:
            raise Halt
        return False


class Sink(End):
    """The receiving side."""

    #: What comes next: line, content or status.
    expects = "line"

    def main(self) -> Reading:
        if self.fails():
            self.out += b"\x01not a folder\n"
            return
        yield from self.folder("")

    def folder(self, prefix: str) -> Reading:
        self.out += b"\0"
        while True:
            self.expects = "line"
            line = yield from self.line()
            if line[0] in b"\1\2":
                if line[0] == 2:
                    raise Halt
            elif line[:1] == b"E":
                self.out += b"\0"
                return
            elif line[:1] == b"T":
                self.out += b"\0"
            else:
                yield from self.named(prefix, line)

    def named(self, prefix: str, line: bytes) -> Reading:
        size, name = self.parsed(line)
        path = prefix + name
        if line[:1] == b"D":
            if self.fails():
                self.out += b"\x01scp: no\n"
            else:
                yield from self.folder(path + "/")
            return
        file = Carried(path)
        self.files.append(file)
        if self.fails():
            self.out += b"\x01scp: cannot open\n"
            return
        file.is_open = True
        self.out += b"\0"
        self.expects = "content"
        while file.size < size:
            yield
            file.size += 1
        good = not self.fails()
        is_early = self.random.random() < 0.5  # as old versions do
        if not good and is_early:
            self.out += b"\x01scp: disk full\n"
        self.expects = "status"
        source_good = yield from self.response()
        if good or not is_early:
            self.out += b"\0" if good else b"\x01scp: disk full\n"
        file.success = good and source_good

    def parsed(self, line: bytes) -> tuple[int, str]:
        """Parse a mode of four digits, space, size, space, and a name up to a NUL."""
        text = line.rstrip(b"\n").partition(b"\0")[0]
        digits, _, name = text[6:].partition(b" ")
        if (
            text[:1] not in (b"C", b"D")
            or not text[1:5].isdigit()
            or text[5:6] != b" "
            or not digits.isdigit()
            or not name
        ):
            self.out += b"\x01scp: protocol error\n"
            raise Halt
        return int(digits), name.decode()


class Source(End):
    """The side that sends a random tree."""

    written = 0
    #: A client gives up if the host cannot start. The host's scp does not.
    is_person = False

    def say(self, data: bytes) -> None:
        self.out += data
        self.written += len(data)

    def main(self) -> Reading:
        if not (yield from self.response()) and self.is_person:
            return
        for number in range(self.random.randrange(5)):
            yield from self.item("", f"item {number}", 0)

    def item(self, prefix: str, name: str, depth: int) -> Reading:
        if self.fails():
            self.say(b"\x01scp: cannot read\n")
            return
        if self.random.random() < 0.3:
            self.say(b"T1 0 2 0\n")
            if not (yield from self.response()):
                return
        if depth < 3 and self.random.random() < 0.3:
            yield from self.tree(prefix, name, depth)
        else:
            yield from self.file(prefix, name)

    def tree(self, prefix: str, name: str, depth: int) -> Reading:
        self.say(f"D0755 0 {name}\n".encode())
        if not (yield from self.response()):
            return
        for number in range(self.random.randrange(4)):
            yield from self.item(f"{prefix}{name}/", f"{'二' * number}{number}", depth + 1)
        self.say(b"E\n")
        yield from self.response()

    def file(self, prefix: str, name: str) -> Reading:
        size = self.random.choice([0, 1, 7, 300])
        self.say(f"C0644 {size} {name}\n".encode())
        file = Carried(prefix + name, named_at=self.written)
        self.files.append(file)
        if not (yield from self.response()):
            return
        file.is_open, file.content_at = True, self.written
        content = self.random.choice([b"x", b"C0644 5 lie\n", b"\0\1\n"]) * 300
        self.say(content[:size])
        file.size = size
        good = not self.fails()
        self.say(b"\0" if good else b"\x01scp: read error\n")
        file.success = (yield from self.response()) and good


def pieces(source: random.Random, data: bytes) -> Iterator[bytes]:
    """Split `data` into pieces that are unrelated to its content."""
    while data:
        size = source.choice([1, 2, 5, 40, 1000])
        yield data[:size]
        data = data[size:]


class Uploader(Source):
    """The user's side of an upload."""

    is_person = True
