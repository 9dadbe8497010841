"""Certificates of an SSH authority, with the user's own `ssh-keygen -s` and `ssh`."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from world import World

TERMINALS: Final = "/api/v1/settings/setting/?category=terminal"


def keygen(*options: str) -> None:
    subprocess.run(
        ["ssh-keygen", "-q", *options],
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )


def new_key(path: Path, kind: str = "ed25519") -> Path:
    keygen("-t", kind, "-N", "", "-f", str(path))
    return path


def certified(
    authority: Path,
    folder: Path,
    name: str,
    *options: str,
    kind: str = "ed25519",
    **more: str,
) -> Path:
    """A new key with a certificate in the file that ssh expects."""
    key = new_key(folder / name, kind)
    keygen(
        "-s", str(authority), "-I", f"{name}@laptop", "-z", "7", "-n", more.get("principals", "zhang"),
        "-V", more.get("validity", "-1m:+1h"), *options, f"{key}.pub",
    )  # fmt: skip
    return key


def command(world: World, folder: Path, key: Path, *asked: str) -> list[str]:
    return [
        "ssh", "-F", "none", "-o", f"UserKnownHostsFile={folder / 'known'}", "-o", "StrictHostKeyChecking=accept-new",
        "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "PreferredAuthentications=publickey",
        "-i", str(key), "-p", str(world.product.ssh_port), "-l", "zhang@deploy@web-1", "127.0.0.1", *asked,
    ]  # fmt: skip


def said(world: World, folder: Path, key: Path) -> str:
    """The output of ssh with this key only, both streams."""
    done = subprocess.run(
        command(world, folder, key, "echo reached-the-host"),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def until(true: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.3)


def test_certificates_of_a_trusted_authority_sign_in_until_it_is_removed(world: World, tmp_path: Path) -> None:
    authority = new_key(tmp_path / "authority")
    line = (tmp_path / "authority.pub").read_text().strip()
    good = certified(authority, tmp_path, "good", "-O", "source-address=127.0.0.0/8")
    assert "Permission denied" in said(world, tmp_path, good), "off by default"

    def trust(text: str) -> None:
        changed: dict[str, Any] = world.admin.patch(TERMINALS, {"TERMINAL_USER_CA_KEYS": text})
        assert changed["TERMINAL_USER_CA_KEYS"] == text

    trust(line)
    try:
        assert "reached-the-host" in said(world, tmp_path, good)
        assert "reached-the-host" in said(world, tmp_path, certified(authority, tmp_path, "rsa", kind="rsa"))
        host = certified(authority, tmp_path, "host", "-h")
        assert "reached-the-host" not in said(world, tmp_path, host)
        refused = {
            "certificate_expired": certified(authority, tmp_path, "expired", validity="-2h:-1h"),
            "certificate_option": certified(authority, tmp_path, "odd", "-O", "critical:more@example.com=1"),
            "certificate_address": certified(authority, tmp_path, "afar", "-O", "source-address=198.51.100.0/24"),
            "certificate_other_name": certified(authority, tmp_path, "of-other", principals="li"),
        }
        for reason, key in refused.items():
            text = said(world, tmp_path, key)
            assert "Permission denied" in text
            assert len(text.strip().splitlines()) > 1, "the reason is said"
            newest = world.admin.get("/api/v1/audits/login-logs/?limit=1&offset=0")
            assert reason in str(newest)
        log = str(world.admin.get("/api/v1/audits/events/?limit=20&offset=0&event=certificate.accepted"))
        assert "good@laptop (7)" in log

        session = subprocess.Popen(
            command(world, tmp_path, good, "echo reached-the-host; cat"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert session.stdout is not None
        assert session.stdout.readline() == "reached-the-host\n"
    finally:
        trust("")
    try:
        until(lambda: session.poll() is not None, seconds=15)
    finally:
        session.kill()
        session.communicate()
    assert "Permission denied" in said(world, tmp_path, good)
