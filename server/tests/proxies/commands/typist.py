"""A simulated user at a real program behind a pseudo-terminal. The detector sees both directions."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from peers.pty_program import PtyProgram
from postern.contracts.enums import CommandKind
from postern.proxies.core.commands import CommandDetector, DetectedCommand

CTRL = {letter: bytes([ord(letter.upper()) - 64]) for letter in "abcdefghijklmnopqrstuvwxyz"}
UP, DOWN, RIGHT, LEFT, HOME, END = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F"
BACK = b"\x7f"
ENTER = b"\r"
_LONG_TEXT = 24
#: How long a busy system may take to deliver a key to the program and its echo back.
_ANSWER_S = 0.5


class Typist:
    """Types keys. `found` collects the detected commands."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.found: list[DetectedCommand] = []
        self.detector = CommandDetector(columns, rows, self.found.append)
        self._start = time.monotonic()
        self.program = PtyProgram(
            argv,
            columns=columns,
            rows=rows,
            env=env,
            folder=folder,
            on_output=lambda data: self.detector.target_output(data, self.now_ms()),
        )
        self.program.settle(0.3)

    def now_ms(self) -> int:
        return int((time.monotonic() - self._start) * 1000)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.program.__exit__(None, None, None)

    def send(self, data: bytes) -> None:
        """Send everything at once without waiting."""
        self.detector.user_input(data, self.now_ms())
        self.program.send(data)

    def type(self, *keys: bytes | str, quiet_s: float = 0.012) -> None:
        """Type key by key and wait for each echo. A text is typed in steps of one character, a long text in larger
        steps.
        """
        answers = True
        for key in keys:
            step = 1 if len(key) < _LONG_TEXT else 5
            for at in range(0, len(key), step if isinstance(key, str) else len(key) or 1):
                part = key[at : at + step].encode() if isinstance(key, str) else key
                self.send(part)
                # Keys without an echo, such as those of a password, are not awaited one by one.
                answers = answers and bool(self.program.read(_ANSWER_S))
                self.program.settle(quiet_s)

    def line(self, *keys: bytes | str, quiet_s: float = 0.12) -> None:
        """Type a line, press Enter, and wait until the program is idle."""
        self.type(*keys)
        self.send(ENTER)
        self.program.read(_ANSWER_S)
        self.program.settle(quiet_s)

    def commands(self) -> list[str]:
        """Texts of the detected lines, without those of full-screen programs."""
        self.detector.close()
        return [entry.input for entry in self.found if entry.kind is not CommandKind.ALT]

    def kinds(self) -> list[CommandKind]:
        self.detector.close()
        return [entry.kind for entry in self.found]
