"""Behaves as cmd.exe and PowerShell do where jobs depend on it: `fake_windows.py FOLDER [COMMAND LINE]`.

Without a command line it is the one that sshd was asked for. Scripts for PowerShell are run by sh, except those that a
file `*.answer` in the folder names: its first line is a text in the script, the rest is what the script prints, with
the first line of its input for `{nonce}`. The input of these is written to `*.input`. A file `no_powershell` takes
PowerShell away.
"""

import base64
import os
import signal
import subprocess
import sys
from pathlib import Path


def powershell(folder: Path, arguments: list[str]) -> int:
    script = base64.b64decode(arguments[arguments.index("-EncodedCommand") + 1]).decode("utf-16-le")
    if "taskkill" in script:
        os.killpg(int(sys.stdin.buffer.readline()), signal.SIGKILL)
        return 0
    assert "POSTERN-READY $PID" in script
    assert "$input" not in script.lower()
    if os.getpgid(0) != os.getpid():
        os.setsid()
    say(f"POSTERN-READY {os.getpid()}\r\n".encode())
    count = int(sys.stdin.buffer.readline() or b"0")
    lines = [sys.stdin.buffer.readline() for _ in range(count)]
    if not count or sys.stdin.buffer.readline().rstrip() != b"POSTERN-END":
        return 3
    text = b"".join(lines).decode()
    for known in sorted(folder.glob("*.answer")):
        mark, _line, answer = known.read_text().partition("\n")
        if mark in text:
            told = sys.stdin.buffer.read()
            known.with_suffix(".input").write_bytes(told)
            nonce = told.decode("utf-8", "replace").split("\n", 1)[0]
            say(answer.replace("{nonce}", nonce).replace("\n", "\r\n").encode())
            return 0
    done = subprocess.run(["/bin/sh", "-c", text], input=sys.stdin.buffer.read(), check=False)
    return done.returncode


def say(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def main(folder: Path, line: str) -> int:
    words = line.split()
    if words[:1] == ["powershell"] and not (folder / "no_powershell").exists():
        return powershell(folder, words)
    if line == "echo %OS%":
        say(b"Windows_NT\r\n")
        return 0
    name = words[0] if words else ""
    sys.stderr.write(
        f"'{name}' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else os.environ["SSH_ORIGINAL_COMMAND"]))
