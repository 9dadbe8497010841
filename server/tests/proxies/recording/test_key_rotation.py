"""A new sealing key while the proxy runs: new recordings are sealed with it, and old recordings stay valid."""

import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from postern.contracts.recording import TrustedKeys, verify
from postern.kernel.errors import SettingsError
from postern.proxies.core.recording.command_line import verify_recording
from postern.proxies.core.recording.signing import SealingKey, SealingKeys, prepare_rotation
from unit.contracts.recording.golden import FIXTURES, KEY

SHELL = FIXTURES / "shell.postern"


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return tmp_path / "secrets" / "recording_signing_key.pem"


def resealed(key: SealingKey, path: Path) -> Path:
    """Return the fixture as if sealed by `key`: its manifest is signed again."""
    data = SHELL.read_bytes()
    old_id, new_id = KEY.key_id.encode(), key.key_id.encode()
    trailer = data[-28:]
    manifest_length = int.from_bytes(trailer[12:16], "big")
    manifest = data[-28 - 64 - manifest_length : -28 - 64].replace(old_id, new_id)
    signature = key.sign(b"postern recording manifest v1\x00" + manifest)
    path.write_bytes(data[: -28 - 64 - manifest_length] + manifest + signature + trailer)
    return path


def test_rotation_takes_effect_in_a_running_sealer_and_old_keys_stay_trusted(key_file: Path, tmp_path: Path) -> None:
    keys = SealingKeys(key_file)
    first = keys.current()
    before = resealed(first, tmp_path / "before.postern")
    rotation = prepare_rotation(key_file)
    assert keys.current().key_id == first.key_id, "prepared is not installed"
    rotation.install()
    second = keys.current()
    after = resealed(second, tmp_path / "after.postern")
    assert rotation.former == first.key_id
    assert second.key_id == rotation.key.key_id != first.key_id
    for path, key in ((before, first), (after, second)):
        with path.open("rb") as file:
            verdict = keys.verify(file)
        assert (verdict.valid, verdict.key_id) == (True, key.key_id)
    with after.open("rb") as file:
        assert verify(file, first.public).reason == "other_key"
    assert set(TrustedKeys(key_file.parent).ids()) == {first.key_id, second.key_id}
    assert key_file.with_suffix(".pub").read_text().strip() == second.public.hex()
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in key_file.parent.iterdir() if ".new" in path.name] == []


def test_discarded_rotation_changes_nothing(key_file: Path) -> None:
    first = SealingKeys(key_file).current()
    prepare_rotation(key_file).discard()
    assert SealingKeys(key_file).current().key_id == first.key_id
    assert TrustedKeys(key_file.parent).ids() == [first.key_id]


def test_damaged_key_file_leaves_the_sealer_with_its_loaded_key(key_file: Path) -> None:
    keys = SealingKeys(key_file)
    first = keys.current()
    key_file.write_text("no key")
    assert keys.current() is first
    key_file.unlink()
    assert keys.current() is first
    key_file.write_text("no key")
    with pytest.raises(SettingsError):
        SealingKey.load(key_file)


def test_key_is_trusted_by_its_location_not_by_the_file_content(key_file: Path, tmp_path: Path) -> None:
    keys = SealingKeys(key_file)
    stranger = SealingKey(Ed25519PrivateKey.generate())
    forged = resealed(stranger, tmp_path / "forged.postern")
    with forged.open("rb") as file:
        assert keys.verify(file).reason == "other_key"
    trusted = TrustedKeys(key_file.parent)
    trusted.path_of(stranger.key_id).write_text(keys.current().public.hex())  # another key under its name
    with forged.open("rb") as file:
        assert keys.verify(file).reason == "other_key"
    assert trusted.find("../../secrets") is None
    assert trusted.find(stranger.key_id) is None


def test_verify_command_accepts_a_folder_of_keys(
    key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = SealingKeys(key_file)
    path = resealed(keys.current(), tmp_path / "a.postern")
    prepare_rotation(key_file).install()
    assert verify_recording(path, str(key_file.parent), sys.stdout) == 0
    assert verify_recording(SHELL, str(key_file.parent), sys.stdout) == 1
    assert "NOT PROVEN other_key" in capsys.readouterr().out
