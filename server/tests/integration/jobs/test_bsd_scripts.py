"""The scripts of jobs on FreeBSD: its commands are stubs that take the arguments of their manual pages.

They run in a mount namespace without the commands of Linux and without its /proc.
"""

import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from postern.apps.jobs.facts.reading import read_facts
from postern.apps.jobs.hosts.answers import answers

pytestmark = pytest.mark.any_database

#: $0 is a folder with `bin` (the stubs) and a copy of /etc. /usr/sbin has the commands of Linux that change accounts.
_SURROUNDINGS = """set -e
mkdir -p "$0/real" && cp /usr/sbin/useradd "$0/real/"
mount --bind "$0/etc" /etc
mount -t tmpfs -o size=16m,mode=755 tmpfs /home
mount -t tmpfs tmpfs /usr/sbin
mount -t tmpfs tmpfs /sys
export PATH="$0/bin:/usr/bin:/bin" FOLDER="$0"
[ "$1" = keep ] || mount -t tmpfs tmpfs /proc
exec /bin/sh -c "$2"
"""
_UNAME = """case $1 in
-s) echo FreeBSD;; -r) echo 14.1-RELEASE;; -m) echo amd64;; -n) echo bsd-1;;
esac"""
_SYSCTL = """case $2 in
hw.ncpu) echo 4;; hw.model) echo 'AMD EPYC 7543 32-Core Processor';; hw.physmem) echo 8539729920;;
*) echo "sysctl: unknown oid '$2'" >&2; exit 1;;
esac"""
# pw(8): useradd -n name -m -s shell; groupmod group -m user; usermod name -h 0, which reads the password.
_PW = """echo "$@" >> "$FOLDER/pw.log"
case $1 in
useradd) [ "$2" = -n ] && shift 3 && exec "$FOLDER/real/useradd" "$@" deploy;;
usermod) [ "$3 $4" = '-h 0' ] && IFS= read -r password && echo "password $password" >> "$FOLDER/pw.log";;
groupmod) [ "$3" = -m ];;
*) exit 64;;
esac"""
# su(1) of FreeBSD: -s sets a label and takes no shell.
_SU = """[ "$1" = -s ] && { echo 'su: unknown login: /bin/sh' >&2; exit 1; }
exec /usr/bin/su "$@"
"""


class Bsd:
    """A host in a folder."""

    def __init__(self, folder: Path) -> None:
        if os.geteuid() != 0 or shutil.which("unshare") is None:
            pytest.skip("mount namespaces need root")
        self.folder = folder
        shutil.copytree("/etc", folder / "etc", symlinks=True)
        (folder / "bin").mkdir()
        for name, script in (("uname", _UNAME), ("sysctl", _SYSCTL), ("pw", _PW), ("su", _SU)):
            stub = folder / "bin" / name
            stub.write_text(f"#!/bin/sh\n{script}\n")
            stub.chmod(0o755)
        release = folder / "etc" / "os-release"
        release.unlink()
        release.write_text('NAME=FreeBSD\nVERSION="14.1-RELEASE"\nVERSION_ID="14.1"\nID=freebsd\n')

    def run(self, script: str, told: str, *, keep_proc: bool = False) -> bytes:
        """Run a script as root, and return what it prints."""
        keep = "keep" if keep_proc else "hide"
        done = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", _SURROUNDINGS, self.folder, keep, script],
            input=told.encode(), capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def bsd(tmp_path: Path) -> Bsd:
    return Bsd(tmp_path)


def test_hardware_is_read_with_sysctl(bsd: Bsd) -> None:
    script = files("postern.apps.jobs.facts").joinpath("facts.sh").read_text()
    assert read_facts(bsd.run(script, "n0nce\n"), "n0nce") == {
        "os": "FreeBSD", "os_version": "14.1", "os_arch": "amd64", "hostname_raw": "bsd-1",
        "cpu_vcpus": 4, "cpu_model": "AMD EPYC 7543 32-Core Processor", "memory": "8.0 GiB",
    }  # fmt: skip


def test_account_is_created_with_pw_and_gets_its_key(bsd: Bsd) -> None:
    script = files("postern.apps.jobs.push").joinpath("push.sh").read_text()
    lines = ("n0nce", "deploy", "", "/bin/sh", "wheel,ops", "postern:7", "ssh-ed25519 AAAA", "", "s3cr:t 'x'")
    show = "; cat ~deploy/.ssh/authorized_keys; ls -l ~deploy/.ssh/authorized_keys"
    shown = bsd.run(f"({script}){show}", "".join(f"{line}\n" for line in lines), keep_proc=True)
    assert list(answers(shown, "n0nce")) == [
        ("account", "created"), ("group", "wheel"), ("group", "ops"), ("password", "changed"), ("key", "changed"),
        ("end", "1"),
    ]  # fmt: skip
    assert b"\nssh-ed25519 AAAA postern:7\n-rw------- 1 deploy deploy" in shown
    assert (bsd.folder / "pw.log").read_text().splitlines() == [
        "useradd -n deploy -m -s /bin/sh",
        "groupmod wheel -m deploy",
        "groupmod ops -m deploy",
        "usermod deploy -h 0",
        "password s3cr:t 'x'",
    ]


def test_missing_sudo_is_told(bsd: Bsd) -> None:
    script = files("postern.apps.jobs.push").joinpath("push.sh").read_text()
    lines = ("n0nce", "deploy", "", "/bin/sh", "", "postern:7", "", "/bin/ls", "")
    shown = dict(answers(bsd.run(script, "".join(f"{line}\n" for line in lines), keep_proc=True), "n0nce"))
    assert "no sudo with a folder sudoers.d" in shown["failed"]
