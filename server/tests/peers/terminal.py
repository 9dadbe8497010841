"""A client program in a pseudo-terminal: tests type and read the screen like a person."""

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import struct
import termios
from typing import Self


class Terminal:
    """Runs `argv` in a terminal of the given size. `seen` holds the whole output."""

    def __init__(self, argv: list[str], *, columns: int = 80, rows: int = 24, language: str = "C.UTF-8") -> None:
        self._argv = argv
        self._columns, self._rows = columns, rows
        self._language = language
        self._master = -1
        self._news = asyncio.Event()
        self._closed = False
        self._from = 0
        self.seen = b""
        self.process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        self._master, slave = pty.openpty()
        self.resize(self._columns, self._rows)
        self.process = await asyncio.create_subprocess_exec(
            *self._argv,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_take_terminal,
            env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "TERM": "xterm-256color",
                 "LANG": self._language},
        )  # fmt: skip
        os.close(slave)
        os.set_blocking(self._master, False)
        asyncio.get_running_loop().add_reader(self._master, self._read)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        self._stop_reading()
        os.close(self._master)

    def _read(self) -> None:
        try:
            data = os.read(self._master, 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._stop_reading()
        self.seen += data
        self._news.set()

    def _stop_reading(self) -> None:
        if not self._closed:
            self._closed = True
            asyncio.get_running_loop().remove_reader(self._master)

    def resize(self, columns: int, rows: int, width_px: int = 0, height_px: int = 0) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, width_px, height_px))

    async def type(self, text: str | bytes) -> None:
        """Send keys."""
        data = text.encode() if isinstance(text, str) else text
        while data:
            try:
                data = data[os.write(self._master, data) :]
            except BlockingIOError:
                await asyncio.sleep(0.01)

    async def expect(self, pattern: str, timeout_s: float = 60) -> str:
        """Wait until the pattern appears after the previous match; returns the match."""
        compiled = re.compile(pattern.encode())
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    match = compiled.search(self.seen, self._from)
                    if match:
                        self._from = match.end()
                        return match.group().decode("utf-8", "replace")
                    if self._closed:
                        raise AssertionError(f"{pattern!r} never came: {self.seen[-3000:]!r}")
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{pattern!r} did not come: {self.seen[-3000:]!r}") from None

    async def wait(self, timeout_s: float = 60) -> int:
        """Wait for the end of the program; returns its exit status."""
        assert self.process is not None
        async with asyncio.timeout(timeout_s):
            status = await self.process.wait()
            while not self._closed:
                self._news.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.2):
                        await self._news.wait()
                        continue
                break
        return status


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
