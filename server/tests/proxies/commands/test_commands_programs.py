"""Detection in programs with a prompt of their own, and in nested programs."""

import shutil
import sys
from pathlib import Path

import pytest

from postern.contracts.enums import CommandKind
from proxies.commands.typist import CTRL, ENTER, UP, Typist


def test_dash_lines_are_detected(tmp_path: Path) -> None:
    with Typist(["dash", "-i"], env={"PS1": "$ "}, folder=tmp_path) as dash:
        dash.line("echo one")
        dash.line("echo tqo", b"\x7f\x7f", "wo")
        dash.line("echo lost", CTRL["u"], "echo kept")
        dash.line("echo 中文")
        dash.line("x" * 120)
        dash.send(b"echo a\recho b\recho c\n")
        dash.program.settle(0.3)
        dash.line("stty -echo")
        dash.line("echo unseen-pass")
        dash.line("stty echo")
        dash.line("echo end")
        commands = dash.commands()
    assert [text for text in commands if text] == [
        "echo one", "echo two", "echo kept", "echo 中文", "x" * 120, "echo a", "echo b", "echo c", "stty -echo", "echo end",
    ]  # fmt: skip
    assert not any("unseen-pass" in entry.input for entry in dash.found)


def test_dash_lines_after_a_full_screen_program_are_detected(tmp_path: Path) -> None:
    """`dash` has no line editor that announces its prompt. The keys that ended the program must not count as part of a
    line.
    """
    (tmp_path / "long.txt").write_text("\n".join(f"line {number}" for number in range(200)))
    with Typist(["dash", "-i"], env={"PS1": "host$ "}, folder=tmp_path) as dash:
        dash.line("echo before")
        for program, shown, keys in (
            ("top -d 1", b"top - ", "q"),
            ("less long.txt", b"line 9", " q"),
            ("top -d 1", b"top - ", "1q"),
        ):
            start = len(dash.program.output)
            dash.line(program)
            dash.program.expect(shown, start=start)
            for key in keys:
                start = len(dash.program.output)
                dash.type(key, quiet_s=0.3)
            dash.program.expect(b"host$ ", start=start)
            dash.line(f"echo after {program.split()[0]}")
        start = len(dash.program.output)
        dash.line("top -d 1")
        dash.program.expect(b"top - ", start=start)
        start = len(dash.program.output)
        dash.send(b"q")
        dash.program.expect(b"host$ ", start=start)
        dash.send(ENTER)
        dash.program.settle(0.2)
        dash.line("echo tqo", b"\x7f\x7f", "wo")
        dash.line("echo gone", CTRL["u"], "echo end")
        commands = dash.commands()
    assert commands == [
        "echo before", "top -d 1", "echo after top", "less long.txt", "echo after less", "top -d 1", "echo after top", "top -d 1",
        "echo two", "echo end",
    ]  # fmt: skip


def test_python_prompt_lines_are_detected(tmp_path: Path) -> None:
    with Typist([sys.executable, "-q", "-i", "-S"], folder=tmp_path, env={"PYTHON_HISTORY": "/dev/null"}) as python:
        python.program.expect(b">>> ")
        python.line("x = 6 * 7")
        python.line("print(x)")
        python.line(UP)
        python.line("for i in range(2):")
        python.line("    print(i)")
        python.line()
        python.line("name = input('Name: ')")
        python.line("Ada")
        python.line("import getpass; p = getpass.getpass()")
        python.line("hunter2-hidden")
        python.line("print('end')")
        commands = python.commands()
    assert commands == [
        "x = 6 * 7", "print(x)", "print(x)", "for i in range(2):", "    print(i)", "name = input('Name: ')", "Ada",
        "import getpass; p = getpass.getpass()", "", "print('end')",
    ]  # fmt: skip
    assert [entry.output for entry in python.found if entry.input == "print(x)"] == ["42", "42"]
    assert [entry.kind for entry in python.found if not entry.input] == [CommandKind.HIDDEN]


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="not among the programs that the set-up installs")
def test_sqlite_lines_are_detected(tmp_path: Path) -> None:
    with Typist(["sqlite3", "-interactive"], folder=tmp_path) as sqlite:
        sqlite.program.expect(b"sqlite> ")
        sqlite.line("create table t (a, b);")
        sqlite.line("insert into t")
        sqlite.line("values (1, 'two');")
        sqlite.line("select * from t;")
        assert sqlite.commands() == [
            "create table t (a, b);",
            "insert into t",
            "values (1, 'two');",
            "select * from t;",
        ]
        assert sqlite.found[-1].output.startswith("1|two")


def test_lines_inside_tmux_are_recorded_as_full_screen_lines(tmp_path: Path) -> None:
    with Typist(["bash", "--norc", "-i"], env={"PS1": "$ ", "SHELL": "/bin/bash"}, folder=tmp_path) as shell:
        shell.line(f"tmux -f /dev/null -S {tmp_path}/t.sock new-session 'bash --norc'", quiet_s=0.6)
        shell.line("echo in tmux", quiet_s=0.3)
        shell.type(CTRL["b"], "%", quiet_s=0.3)
        shell.line("echo in the other pane", quiet_s=0.3)
        shell.send(b"echo quick\r")
        shell.program.settle(0.4)
        shell.type(CTRL["b"], ":", quiet_s=0.2)
        shell.line("kill-server", quiet_s=0.6)
        shell.line("echo outside")
        commands = shell.commands()
    alternate = [entry.input for entry in shell.found if entry.kind is CommandKind.ALT]
    assert "echo in tmux" in alternate
    assert any(text.endswith("echo in the other pane") for text in alternate)
    assert "echo quick" in alternate
    assert commands[-1] == "echo outside"
    assert len(commands) == 2


def test_terminal_of_size_zero_still_detects_lines(tmp_path: Path) -> None:
    with Typist(["bash", "--norc", "-i"], env={"PS1": "$ "}, folder=tmp_path, columns=0, rows=0) as shell:
        shell.line("echo without a size")
        assert shell.commands() == ["echo without a size"]


def test_line_feed_instead_of_return_submits(tmp_path: Path) -> None:
    with Typist(["bash", "--norc", "-i"], env={"PS1": "$ "}, folder=tmp_path) as shell:
        shell.type("echo fed")
        shell.send(b"\n")
        shell.program.settle(0.2)
        shell.line("echo end")
        assert shell.commands() == ["echo fed", "echo end"]


def test_login_prompt_and_password_of_a_nested_program_are_separate_entries(tmp_path: Path) -> None:
    script = "read -p 'login: ' u; read -s -p 'Password: ' p; echo; PS1='nested$ ' exec bash --norc -i"
    with Typist(["bash", "--norc", "-c", script], folder=tmp_path) as shell:
        shell.line("operator")
        shell.line("T0p-Secret-Word", quiet_s=0.4)
        shell.line("echo in")
        shell.send(ENTER)
        shell.program.settle(0.2)
        assert [text for text in shell.commands() if text] == ["operator", "echo in"]
        assert shell.kinds().count(CommandKind.HIDDEN) == 1
        assert not any("Secret" in repr(entry) for entry in shell.found)


def test_line_after_a_program_that_draws_on_the_main_screen_is_detected(tmp_path: Path) -> None:
    with Typist(["bash", "--norc", "-i"], env={"PS1": r"\W \#$ "}, folder=tmp_path) as shell:
        shell.line("echo before")
        shell.line("top -d 1", quiet_s=0.5)
        shell.program.expect(b"\x1b[H\x1b(B\x1b[mtop - ")
        shell.type("q", quiet_s=0.5)
        shell.line("cat deploy.conf")
        shell.line("top -d 1", quiet_s=0.5)
        shell.type("q", quiet_s=0.5)
        shell.send(ENTER)
        shell.program.settle(0.2)
        shell.line("sleep 0.5", quiet_s=0.1)
        shell.type("echo ah", quiet_s=0.05)
        shell.program.settle(0.7)
        shell.line("ead")
        assert shell.commands() == [
            "echo before", "top -d 1", "cat deploy.conf", "top -d 1", "sleep 0.5", "echo ahead",
        ]  # fmt: skip
