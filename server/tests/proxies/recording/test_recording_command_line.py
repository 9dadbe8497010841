import io
import json
from functools import partial
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from postern.proxies.core.recording.command_line import export_recording, export_text, verify_recording
from unit.contracts.recording.golden import FIXTURES, KEY

SHELL = FIXTURES / "shell.postern"


def test_verify_of_an_unaltered_file_says_so_with_status_0(tmp_path: Path) -> None:
    out = io.StringIO()
    assert verify_recording(SHELL, KEY.public.hex(), out) == 0
    assert out.getvalue().startswith("UNALTERED session 00000000-0000-0000-0000-000000000002 state sealed")
    key_file = tmp_path / "key.pub"
    key_file.write_text(KEY.public.hex() + "\n")
    assert verify_recording(SHELL, str(key_file), out) == 0


def test_file_or_folder_named_like_a_key_never_replaces_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Ed25519PrivateKey.generate().public_key().public_bytes_raw().hex()
    monkeypatch.chdir(tmp_path)
    Path(other).write_text(KEY.public.hex())
    assert verify_recording(SHELL, other, io.StringIO()) == 1
    Path(other).unlink()
    Path(other).mkdir()
    (Path(other) / "recording_signing_key.pub").write_text(KEY.public.hex())
    assert verify_recording(SHELL, other, io.StringIO()) == 1
    assert verify_recording(SHELL, f"./{other}", io.StringIO()) == 0


def test_verify_of_an_altered_file_names_the_reason_with_status_1(tmp_path: Path) -> None:
    altered = tmp_path / "a.postern"
    altered.write_bytes(SHELL.read_bytes() + b"!")
    out = io.StringIO()
    assert verify_recording(altered, KEY.public.hex(), out) == 1
    assert out.getvalue().startswith("NOT PROVEN not_sealed: ")


def test_verify_without_a_usable_key_or_file_fails_with_status_2(tmp_path: Path) -> None:
    out = io.StringIO()
    assert verify_recording(SHELL, "no key", out) == 2
    assert verify_recording(tmp_path / "missing", KEY.public.hex(), out) == 2


def test_export_writes_asciicast(tmp_path: Path) -> None:
    out = io.BytesIO()
    assert export_recording(SHELL, out, io.StringIO()) == 0
    lines = out.getvalue().splitlines()
    assert json.loads(lines[0])["version"] == 2
    assert len(lines) > 30


def test_export_writes_text() -> None:
    for times, line in ((False, "\ntotal 12\n"), (True, "\n[00:00:02] total 12\n")):
        out = io.BytesIO()
        assert export_text(SHELL, out, io.StringIO(), times=times) == 0
        assert line in out.getvalue().decode()


def test_export_of_another_file_reports_that(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"not a recording" * 100)
    for export in (export_recording, partial(export_text, times=True)):
        errors = io.StringIO()
        assert export(other, io.BytesIO(), errors) == 1
        assert errors.getvalue().startswith("cannot export: ")
