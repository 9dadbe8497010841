"""The command that takes a script from standard input, in the shells that hosts have."""

import subprocess

import pytest

from postern.contracts.runner import Shell
from postern.proxies.runner import shell

SHELLS = (("dash", "-c"), ("bash", "-c"), ("zsh", "-c"), ("busybox", "ash", "-c"))
SCRIPT = "echo one\nif true; then\n  cat\nfi\nexit 4\n"


def run(login_shell: tuple[str, ...], script: bytes, run_by: Shell) -> "subprocess.CompletedProcess[bytes]":
    line = shell.command_line("n0nce", SCRIPT, run_by)
    return subprocess.run([*login_shell, line], input=script, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("run_by", [Shell.POSIX, Shell.LOGIN])
@pytest.mark.parametrize("login_shell", SHELLS, ids=" ".join)
def test_script_gets_the_input_behind_it(login_shell: tuple[str, ...], run_by: Shell) -> None:
    done = run(login_shell, shell.script_bytes(SCRIPT) + b"two \\n\nthree", run_by)
    answer = shell.Answer("n0nce").feed(done.stdout)
    assert answer is not None
    assert (answer[1], done.returncode) == (b"one\ntwo \\n\nthree", 4)


@pytest.mark.parametrize("login_shell", SHELLS, ids=" ".join)
def test_script_whose_end_does_not_arrive_is_not_run(login_shell: tuple[str, ...]) -> None:
    whole = shell.script_bytes(SCRIPT)
    for size in (0, 5, len(whole) - 7, len(whole) - 1):
        done = run(login_shell, whole[:size], Shell.POSIX)
        assert (done.stdout.count(b"\n"), done.returncode) == (1, 3), size
