"""SSH keys on security keys (FIDO2), with the user's own ssh. OpenSSH's own stand-in replaces the hardware."""

import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from world import ZHANG_PASSWORD, World

STAND_IN: Final = "/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so"
SECURITY: Final = "/api/v1/settings/setting/?category=security"


def make_key(folder: Path, kind: str, *options: str) -> Path:
    """Make a key on the stand-in for a security key."""
    path = folder / "-".join([kind, *options])
    more = [part for option in options for part in ("-O", option)]
    subprocess.run(
        ["ssh-keygen", "-q", "-t", kind, "-N", "", "-w", STAND_IN, *more, "-f", str(path)],
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={"SSH_SK_PROVIDER": STAND_IN, "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        timeout=60,
    )
    return path


def sign_in(world: World, folder: Path, key: Path) -> subprocess.CompletedProcess[str]:
    """Run a command on the host with this key only."""
    return subprocess.run(
        [
            "ssh", "-F", "none", "-o", f"UserKnownHostsFile={folder / 'known'}", "-o", "StrictHostKeyChecking=accept-new",
            "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", f"SecurityKeyProvider={STAND_IN}",
            "-o", "PreferredAuthentications=publickey", "-i", str(key), "-p", str(world.product.ssh_port),
            "-l", "zhang@deploy@web-1", "127.0.0.1", "echo reached-the-host",
        ],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip


@pytest.fixture
def keys(world: World, tmp_path: Path) -> dict[str, Path]:
    """Keys of every kind, added to the keys in zhang's profile."""
    made = {
        "plain": make_key(tmp_path, "ed25519-sk"),
        "pin": make_key(tmp_path, "ed25519-sk", "verify-required"),
        "no touch": make_key(tmp_path, "ed25519-sk", "no-touch-required"),
        "ecdsa": make_key(tmp_path, "ecdsa-sk"),
        "ecdsa pin": make_key(tmp_path, "ecdsa-sk", "verify-required"),
    }
    own = world.keys["zhang"].with_suffix(".pub").read_text()
    lines = [own, *(path.with_suffix(".pub").read_text() for path in made.values())]
    zhang = world.product.api("zhang", ZHANG_PASSWORD)
    zhang.call("PUT", "/api/v1/users/profile/public-key/", {"public_key": "".join(lines)})
    return made


def demand_pin(world: World, *, is_on: bool) -> None:
    changed: dict[str, Any] = world.admin.patch(SECURITY, {"SECURITY_SSH_KEY_PIN": is_on})
    assert changed["SECURITY_SSH_KEY_PIN"] is is_on


def test_security_keys_require_a_pin_only_if_the_setting_requires_it(
    world: World, keys: dict[str, Path], tmp_path: Path
) -> None:
    def reached() -> set[str]:
        return {name for name, key in keys.items() if "reached-the-host" in sign_in(world, tmp_path, key).stdout}

    assert reached() == {"plain", "pin", "ecdsa", "ecdsa pin"}
    demand_pin(world, is_on=True)
    try:
        assert reached() == {"pin", "ecdsa pin"}
        log = world.admin.get("/api/v1/audits/login-logs/?limit=10&offset=0&username=zhang")
        assert "key_without_pin" in str(log)
    finally:
        demand_pin(world, is_on=False)
