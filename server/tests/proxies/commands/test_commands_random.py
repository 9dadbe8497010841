"""Random words and editing keys, compared with the shell's own history file."""

import random
import re
from pathlib import Path

import pytest

from proxies.commands.typist import BACK, CTRL, LEFT, RIGHT, UP, Typist

_WORDS = (
    "ls",
    "-la",
    "/usr/share",
    "grep",
    "x",
    "服务器",
    "日志",
    "status",
    "a_b",
    "foo=bar",
    "http://example.org/",
    "重启",
)
_SHELLS = {
    "bash": (["bash", "--noprofile", "--norc", "-i"], "history -w"),
    "zsh": (["zsh", "-f", "-i"], "fc -W"),
}


def random_keys(source: random.Random) -> list[bytes | str]:
    keys: list[bytes | str] = [": " + " ".join(source.choices(_WORDS, k=source.randint(1, 22)))]
    for _ in range(source.randint(0, 6)):
        keys.append(source.choice((BACK, LEFT, LEFT, RIGHT, CTRL["a"], CTRL["e"], CTRL["w"], CTRL["b"], CTRL["f"])))
        if source.random() < 0.4:
            keys.append(source.choice(_WORDS))
    keys += [CTRL["a"], ": "]  # the shell ignores the result
    if source.random() < 0.5:
        keys.append(CTRL["e"])
    return keys


@pytest.mark.parametrize("waiting", [True, False], ids=["waiting-for-echo", "without-waiting"])
@pytest.mark.parametrize("columns", [80, 47])
@pytest.mark.parametrize("name", _SHELLS)
def test_random_lines_equal_the_shells_history(name: str, columns: int, *, waiting: bool, tmp_path: Path) -> None:
    argv, write_history = _SHELLS[name]
    history = tmp_path / "history"
    env = {"PS1": "test% ", "HISTFILE": "/dev/null", "HISTSIZE": "500", "SAVEHIST": "500", "HISTCONTROL": ""}
    source = random.Random(f"{name} {columns} {waiting}")
    with Typist(argv, env=env, folder=tmp_path, columns=columns) as shell:
        for _ in range(14):
            recalled: list[bytes | str] = [UP] * source.randint(1, 2) if source.random() < 0.15 else []
            keys = recalled + random_keys(source)
            if waiting:
                shell.line(*keys)
            else:
                shell.send(b"".join(key.encode() if isinstance(key, str) else key for key in keys) + b"\r")
                shell.program.settle(0.25)
        shell.line(f"{write_history} {history}", quiet_s=0.4)
        commands = shell.commands()
    truth = [line.rstrip() for line in plain_history(history.read_bytes()).splitlines()]
    pairs = list(zip(commands, truth, strict=False))[: len(truth) - 1]
    # Whether a blank before a wrapped wide character comes from the editor or the user cannot be known.
    assert ["".join(detected.split()) for detected, _ in pairs] == ["".join(true.split()) for _, true in pairs]
    assert sum(detected != true for detected, true in pairs) <= 1
    assert len(truth) >= 12


def plain_history(data: bytes) -> str:
    """Decode zsh's history format: some bytes are stored as 0x83 and the byte with bit 5 flipped, and a leading colon
    is escaped with a backslash.
    """
    data = re.sub(rb"^\\:", b":", data, flags=re.MULTILINE)
    return re.sub(rb"\x83(.)", lambda match: bytes([match[1][0] ^ 32]), data, flags=re.DOTALL).decode()
