"""Editing at the prompts of real shells: the executed line is detected, whatever keys produced it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from postern.contracts.enums import CommandKind
from proxies.commands.typist import BACK, CTRL, DOWN, ENTER, LEFT, RIGHT, UP, Typist

BASH = ["bash", "--norc", "--noprofile", "-i"]
ZSH = ["zsh", "-f", "-i"]
DASH = ["dash", "-i"]
SHELLS: dict[str, tuple[list[str], dict[str, str]]] = {
    "bash": (BASH, {"PS1": "user@host:~$ "}),
    "bash with a coloured prompt of two lines": (
        BASH,
        {"PS1": r"\[\e[1;32m\]\u@\h\[\e[0m\] \w\n\[\e[36m\]❯\[\e[0m\] "},
    ),
    "zsh with a right prompt": (ZSH, {"PS1": "%n@%m %~ %# ", "RPS1": "[%?]"}),
}


@pytest.fixture(params=SHELLS, ids=lambda name: name.replace(" ", "-"))
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Typist]:
    argv, env = SHELLS[request.param]
    with Typist(argv, env=env, folder=tmp_path) as typist:
        yield typist


def test_lines_typed_and_edited_are_detected(shell: Typist, tmp_path: Path) -> None:
    (tmp_path / "alphabet.txt").touch()
    shell.line("echo one")
    shell.line("echo twoo", BACK)
    shell.line()
    shell.line(UP)
    shell.line(UP, "-more")
    shell.line("cho x", CTRL["a"], "e", CTRL["e"], "y")
    shell.line("echo abc", LEFT, LEFT, "ZZ")
    shell.line("echo middle", LEFT, LEFT, LEFT)
    shell.line("garbage", CTRL["u"], "echo clean")
    shell.line("echo kill this", CTRL["w"], "that", CTRL["a"], CTRL["k"], CTRL["y"])
    shell.line("echo 中文 参数")
    shell.line("cat alph\t")
    shell.line("echo gone", CTRL["c"], "echo kept")
    assert shell.commands() == [
        "echo one",
        "echo two",
        "echo two",
        "echo two-more",
        "echo xy",
        "echo aZZbc",
        "echo middle",
        "echo clean",
        "echo kill that",
        "echo 中文 参数",
        "cat alphabet.txt",
        "echo kept",
    ]
    assert set(shell.kinds()) == {CommandKind.ECHO}


def test_long_lines_that_wrap_are_detected(shell: Typist) -> None:
    long = "echo " + " ".join(f"word{number}" for number in range(40))
    wide = "echo " + "宽字符" * 40
    shell.line(long)
    shell.line(long, CTRL["a"], RIGHT, RIGHT, RIGHT, RIGHT, " -e", CTRL["e"], " end")
    shell.line(wide)
    shell.line(wide, CTRL["a"])
    shell.line(UP, UP, CTRL["a"])
    shell.line("x" * 79)
    shell.line("x" * 80)
    shell.line(UP, BACK, BACK)
    assert shell.commands() == [
        long,
        long.replace("echo", "echo -e") + " end",
        wide,
        wide,
        wide,
        "x" * 79,
        "x" * 80,
        "x" * 78,
    ]


def test_screen_cleared_lists_and_searches_do_not_hide_the_line(shell: Typist, tmp_path: Path) -> None:
    for name in ("report-a", "report-b", "report-c"):
        (tmp_path / name).write_text(name)
    shell.line("echo first")
    shell.line("echo bef", CTRL["l"], "ore")
    shell.line("clear")
    shell.line("cat rep\t", "\t", "b")
    shell.line(CTRL["r"], "fir")
    shell.line("seq 60")
    shell.line("echo at the bottom")
    shell.line("echo " + "wrapped at the bottom " * 8, CTRL["a"])
    assert shell.commands() == [
        "echo first",
        "echo before",
        "clear",
        "cat report-b",
        "echo first",
        "seq 60",
        "echo at the bottom",
        ("echo " + "wrapped at the bottom " * 8).rstrip(),
    ]


def test_continuations_and_here_documents_are_detected_line_by_line(shell: Typist) -> None:
    shell.line("for i in 1 2; do")
    shell.line("echo $i")
    shell.line("done")
    shell.line("cat <<END")
    shell.line("text in it")
    shell.line("END")
    shell.line("echo 'open")
    shell.line("closed'")
    assert shell.commands() == [
        "for i in 1 2; do", "echo $i", "done", "cat <<END", "text in it", "END", "echo 'open", "closed'",
    ]  # fmt: skip


def test_lines_pasted_at_once_are_detected(shell: Typist) -> None:
    shell.send(b"echo paste1\recho paste2\recho paste3\r")
    shell.program.settle(0.4)
    shell.line("echo after")
    shell.send(b"\x1b[200~echo block1\necho block2\x1b[201~")
    shell.program.settle(0.3)
    shell.send(ENTER)
    shell.program.settle(0.3)
    shell.line("echo end")
    assert shell.commands() == [
        "echo paste1", "echo paste2", "echo paste3", "echo after", "echo block1\necho block2", "echo end",
    ]  # fmt: skip


def test_keys_typed_while_a_command_runs_are_detected(shell: Typist) -> None:
    shell.line("sleep 0.6", quiet_s=0.02)
    shell.type("echo ahead")
    shell.send(ENTER)
    shell.program.settle(1.0)
    shell.line("sleep 0.6", quiet_s=0.02)
    shell.type("echo ha")
    shell.program.settle(1.0)
    shell.line("lf")
    assert shell.commands() == ["sleep 0.6", "echo ahead", "sleep 0.6", "echo half"]


def test_hidden_input_is_recorded_without_text(shell: Typist) -> None:
    shell.line("read -s secret")
    shell.line("Pa55word-hidden")
    shell.line("stty -echo; read other; stty echo; echo done")
    shell.send(b"An0ther-hidden\r")
    shell.program.settle(0.3)
    shell.line("echo visible")
    commands = shell.commands()
    assert [text for text in commands if text] == [
        "read -s secret", "stty -echo; read other; stty echo; echo done", "echo visible",
    ]  # fmt: skip
    assert shell.kinds().count(CommandKind.HIDDEN) == 2
    assert not any("-hidden" in repr(entry) for entry in shell.found)
    assert "55word" not in repr(vars(shell.detector))


def test_output_is_recorded_as_plain_text_up_to_its_limit(shell: Typist) -> None:
    shell.line("printf '\\033[31mred\\033[0m\\nnext\\n'")
    shell.line("seq 100000", quiet_s=0.5)
    shell.line("echo end")
    shell.commands()
    assert shell.found[0].output == "red\nnext"
    assert shell.found[1].output.startswith("1\n2\n3\n")
    assert 3000 < len(shell.found[1].output) <= 4096
    assert shell.found[2].output == "end"
    offsets = [entry.offset_ms for entry in shell.found]
    assert offsets == sorted(offsets)


def test_background_output_in_the_line_does_not_lose_it(shell: Typist) -> None:
    shell.line("(sleep 0.5; echo NOISE) &")
    shell.type("echo qui")
    shell.program.settle(0.8)
    shell.line("et")
    assert shell.commands()[-1] == "echo quiet"


def test_full_screen_programs_yield_no_commands(shell: Typist, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("line\n" * 200)
    shell.line("less long.txt", quiet_s=0.4)
    shell.type(b" ", "q", quiet_s=0.2)
    shell.line("vim -u NONE -i NONE new.txt", quiet_s=0.5)
    shell.type("i", "rm -rf typed in vim", quiet_s=0.02)
    shell.send(ENTER)
    shell.type(b"\x1b", quiet_s=0.3)
    shell.line(":q!", quiet_s=0.5)
    shell.line("echo after")
    assert shell.commands() == ["less long.txt", "vim -u NONE -i NONE new.txt", "echo after"]
    assert "rm -rf typed in vim" in [entry.input for entry in shell.found if entry.kind is CommandKind.ALT]


def test_nested_shells_and_a_target_that_enables_the_alternate_screen(shell: Typist) -> None:
    shell.line("PS1='inner> ' bash --norc --noprofile", quiet_s=0.4)
    shell.line("echo inside")
    shell.line("dash", quiet_s=0.3)
    shell.line("echo deeper")
    shell.line("exit")
    shell.line("printf '\\033[?1049h'")
    shell.line("echo on the other screen")
    shell.line("printf '\\033[?1049l'")
    shell.line("exit", quiet_s=0.3)
    shell.line("echo out")
    assert shell.commands() == [
        "PS1='inner> ' bash --norc --noprofile", "echo inside", "dash", "echo deeper", "exit",
        "printf '\\033[?1049h'", "exit", "echo out",
    ]  # fmt: skip
    alternate = [entry.input for entry in shell.found if entry.kind is CommandKind.ALT]
    assert alternate == ["echo on the other screen", "printf '\\033[?1049l'"]


def test_resize_while_editing_keeps_the_line(shell: Typist) -> None:
    shell.type("echo some ")
    shell.program.resize(100, 30)
    shell.detector.resize(100, 30)
    shell.program.settle(0.3)
    shell.line("words", DOWN)
    assert shell.commands() == ["echo some words"]
