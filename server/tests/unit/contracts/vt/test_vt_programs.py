"""Real programs, recorded through a pseudo-terminal, rendered by this emulator and by the browser's terminal."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from peers.pty_program import PtyProgram
from peers.xterm_oracle import XtermOracle
from postern.contracts.vt import Screen
from unit.contracts.vt.vt_fuzz import fragment, state

_LONE_COMBINING = "\u0301".encode()  # xterm gives it a cell; this emulator leaves that cell blank


@pytest.fixture(scope="module")
def oracle() -> Iterator[XtermOracle]:
    with XtermOracle() as running:
        yield running


def differences(screen: Screen, shown: Any) -> list[Any]:
    differing: list[Any] = []
    for y, (row, mine) in enumerate(zip(shown["rows"], screen.lines(), strict=True)):
        if row["text"].rstrip() != mine:
            differing.append(("text", y, mine, row["text"]))
        if y and row["wrapped"] != screen.wrapped(y):
            differing.append(("wrapped", y, row["wrapped"]))
        styles = screen._terminal.rows[y].styles
        for x, (_, width, *style) in enumerate(row["cells"]):
            flags, foreground, background, _line = styles[x]
            if width and [flags & 255 | bool(flags & 0x700) << 8, foreground, background] != style:
                differing.append(("style", y, x, styles[x], style))
    if list(screen.cursor) != shown["cursor"]:
        differing.append(("cursor", screen.cursor, shown["cursor"]))
    if screen.alternate != shown["alternate"]:
        differing.append(("alternate", screen.alternate))
    differing += [("mode", mode) for mode, on in shown["modes"].items() if (int(mode) in screen.modes) != on]
    return differing


@pytest.mark.parametrize("seed", range(60))
def test_random_output_looks_as_in_the_browser(oracle: XtermOracle, seed: int) -> None:
    source = random.Random(seed)
    columns, rows = ((80, 24), (20, 5), (132, 43))[seed % 3]
    pieces = (fragment(source, huge=60) for _ in range(50))
    # Not compared: a lone combining character, and restoring a cursor that was never saved or was saved before the
    # screen scrolled. There xterm.js counts from its scrollback or keeps the character set.
    data = b"".join(
        piece
        for piece in pieces
        if (piece not in (_LONE_COMBINING, b"\x1b8") and piece[-1:] != b"u" and b"104" not in piece and piece.isascii())
        or (piece.decode("utf-8", "replace").isprintable() and piece != _LONE_COMBINING)
    )
    screen = Screen(columns, rows)
    screen.feed(data)
    assert differences(screen, oracle.show(columns, rows, [data])) == []


@pytest.mark.parametrize("seed", range(20))
def test_snapshot_of_random_output_looks_the_same_in_the_browser(oracle: XtermOracle, seed: int) -> None:
    source = random.Random(1000 + seed)
    screen = Screen(60, 12)
    for _ in range(300):
        screen.feed(fragment(source))
    assert differences(screen, oracle.show(60, 12, [b"left \x1b[?1049hover", screen.snapshot()])) == []


def record_vim(folder: Path) -> bytes:
    (folder / "text.py").write_text("import os\n\n\ndef main() -> None:\n    print('你好，世界')\n" * 40)
    with PtyProgram(["vim", "-N", "-u", "NONE", "-i", "NONE", "+syntax on", "text.py"], folder=folder) as vim:
        vim.settle(0.4)
        for keys in (
            b"5j",
            b"ohello \xe4\xb8\xad\xe6\x96\x87 wide\x1b",
            b"\x04",
            b"\x15",
            b"dd",
            b"u",
            b":set nu\r",
            b"/main\r",
            b"G",
            b":vsplit\r",
        ):
            vim.send(keys)
            vim.settle()
        return vim.output


def record_vim_left(folder: Path) -> bytes:
    (folder / "short.txt").write_text("one\ntwo\n")
    with PtyProgram(["bash", "--norc"], folder=folder, env={"PS1": "$ "}) as shell:
        shell.settle()
        for keys in (b"echo before\r", b"vim -N -u NONE -i NONE short.txt\r", b"ixyz\x1b", b":q!\r", b"echo after\r"):
            shell.send(keys)
            shell.settle(0.4)
        return shell.output


def record_less(folder: Path) -> bytes:
    (folder / "long.txt").write_text("".join(f"line {i} {'中文' * (i % 50)} end\n" for i in range(300)))
    with PtyProgram(["less", "-R", "long.txt"], folder=folder) as less:
        less.settle(0.3)
        for keys in (b" ", b" ", b"b", b"/line 77\r", b"G", b"g", b"jjj"):
            less.send(keys)
            less.settle()
        return less.output


def record_tmux(folder: Path) -> bytes:
    with PtyProgram(
        ["tmux", "-f", "/dev/null", "-S", str(folder / "tmux.sock"), "new-session", "bash --norc"],
        folder=folder,
        env={"PS1": "$ ", "SHELL": "/bin/bash"},
    ) as tmux:
        tmux.settle(0.5)
        for keys in (
            b"echo one\r",
            b"\x02%",
            b"seq 30\r",
            b'\x02"',
            b"echo \xe4\xbd\xa0\xe5\xa5\xbd\r",
            b"\x02o",
            b"ls /\r",
        ):
            tmux.send(keys)
            tmux.settle(0.3)
        output = tmux.output
    # Its own background server would outlive the test.
    subprocess.run(["tmux", "-S", str(folder / "tmux.sock"), "kill-server"], check=False, capture_output=True)
    return output


def record_zsh(folder: Path) -> bytes:
    (folder / "alpha.txt").touch()
    (folder / "alpine.txt").touch()
    with PtyProgram(["zsh", "-f"], folder=folder) as zsh:
        zsh.settle(0.3)
        for keys in (
            b"PROMPT='%~ %# ' RPROMPT='[%T]'\r",
            b"autoload -U compinit; compinit -D; zstyle ':completion:*' menu select\r",
            b"ls al\t\t\t",
            b"\x03",
            b"echo " + b"long " * 30,
            b"\x01\x0b",
            b"\xe4\xb8\xad\xe6\x96\x87" * 30,
            b"\x03",
        ):
            zsh.send(keys)
            zsh.settle(0.25)
        return zsh.output


def record_shell(folder: Path) -> bytes:
    script = (
        "printf '\\033[31mred\\033[0m \\033[1;4;38;5;200mpink\\033[0m\\n'; ls --color=always /; "
        "printf 'progress'; for i in 1 2 3; do printf '\\r\\033[K%s%%' $i; done; echo; "
        "printf '\\0337\\033[2;6r\\033[3;3Hregion\\n\\n\\n\\n\\n\\0338'; printf '\\033(0lqqk\\033(B\\n'; seq 40; printf '\\033[5A\\033[3Lup\\n'"
    )
    with PtyProgram(["bash", "--norc", "-c", script], folder=folder) as shell:
        shell.settle(0.3)
        return shell.output


RECORDERS = (record_vim, record_vim_left, record_less, record_tmux, record_zsh, record_shell)


@pytest.mark.parametrize("record", RECORDERS, ids=lambda record: record.__name__)
def test_program_looks_as_in_the_browser(oracle: XtermOracle, tmp_path: Path, record: Any) -> None:
    data = record(tmp_path)
    assert len(data) > 200
    for part in (len(data) // 3, 2 * len(data) // 3, len(data)):
        screen = Screen(80, 24)
        screen.feed(data[:part])
        assert differences(screen, oracle.show(80, 24, [data[:part]])) == [], part
        rendered = oracle.show(80, 24, [screen.snapshot(), screen.pending()])
        assert differences(screen, rendered) == [], part
        copy = Screen(80, 24)
        copy.feed(screen.snapshot())
        assert state(copy) == state(screen)


def test_resize_of_unwrapped_lines_looks_as_in_the_browser(oracle: XtermOracle) -> None:
    steps: list[bytes | tuple[int, int]] = [
        b"one\r\ntwo\r\n\x1b[44mthree",
        (60, 20),
        b"\r\nfour",
        (100, 30),
        b"\x1b[10;95Hfive",
    ]
    screen = Screen(80, 24)
    for step in steps:
        screen.feed(step) if isinstance(step, bytes) else screen.resize(*step)
    assert differences(screen, oracle.show(80, 24, steps)) == []


def test_widths_equal_those_of_the_browser(oracle: XtermOracle) -> None:
    for start in range(0xA0, 0x20000, 0x2000):
        characters = [chr(code) for code in range(start, start + 0x2000) if not 0xD800 <= code < 0xE000]
        # Each character is printed between two letters, so the cursor reveals its width.
        lines = [characters[at : at + 30] for at in range(0, len(characters), 30)]
        for batch in range(0, len(lines), 100):
            data = "\r\n".join("".join(f"a{c}" for c in line) for line in lines[batch : batch + 100]).encode()
            screen = Screen(120, 100)
            screen.feed(data)
            rendered = oracle.show(120, 100, [data])
            assert [row["text"].rstrip() for row in rendered["rows"]] == screen.lines(), hex(start)
            assert list(screen.cursor) == rendered["cursor"]
