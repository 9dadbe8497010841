"""Each bypass of the corpora reaches the program when a real shell runs it, so that none of them is counted for nothing.

The programs are stand-ins with invented names, which only write to a log: no line can harm the machine.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from factories.command_corpus import Sample, samples

REAL = [
    sample
    for name in ("bypass_built_with", "bypass_kept_back")
    for sample in samples(name)
    if sample.shown_in != "none" and sample.kind != "beyond"
]
SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "file": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "dash": ["dash", "-i"],
}
#: Programs in the lines that not every machine has.
OPTIONAL = (
    "xxd", "git", "make", "perl", "flock", "chrt", "taskset", "setarch", "prlimit", "ionice", "script", "split", "gzip", "awk",
    "python3", "sed", "rev", "base32",
)  # fmt: skip
SECONDS = 20


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    (tmp_path / "work").mkdir()
    for name in ("wipeit", "wipectl", "listit", "showit"):
        stand_in = folder / name
        stand_in.write_text(f'#!/bin/sh\necho "{name} $*" >> "{tmp_path}/log"\n')
        stand_in.chmod(0o755)
    return folder


def _typed(sample: Sample, programs: Path) -> str:
    shell = SHELLS[sample.shown_in]
    missing = [
        name for name in (shell[0], *OPTIONAL) if name in f"{shell[0]} {sample.title}" and not shutil.which(name)
    ]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    work = programs.parent / "work"
    typed = "".join(line.replace("@BIN@", str(programs)) + "\n" for line in sample.lines)
    subprocess.run(
        shell,
        input=typed.encode(),
        cwd=work,
        env={"PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(work), "USER": "tester", "TERM": "dumb"},
        capture_output=True,
        timeout=SECONDS,
        check=False,
        start_new_session=True,
    )
    log = programs.parent / "log"
    return log.read_text() if log.exists() else ""


@pytest.mark.parametrize("sample", REAL, ids=lambda sample: ascii(f"{sample.kind}: {sample.title}"))
def test_bypass_reaches_the_program_in_a_real_shell(sample: Sample, programs: Path) -> None:
    log = _typed(sample, programs)
    if sample.shown_in == "file":
        assert (programs.parent / "work/written").exists()
    else:
        assert "wipeit" in log or "wipectl" in log
