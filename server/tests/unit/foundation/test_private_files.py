"""The data folder is accessible only to its owner, whatever its earlier modes were."""

import logging
import os
import socket
import stat
from pathlib import Path

import pytest

from postern.foundation.machine import private_files
from postern.kernel.errors import SettingsError


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_wider_modes_below_the_data_folder_are_corrected_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = tmp_path / "home"
    (home / "replays" / "2026").mkdir(parents=True)
    wide = home / "replays" / "2026" / "one.cast"
    wide.write_bytes(b"x")
    sealed, program = home / "sealed", home / "program"
    sealed.write_bytes(b"x")
    program.write_bytes(b"x")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(home / "a.sock"))
        for path, mode in (
            (home, 0o755),
            (home / "replays", 0o777),
            (home / "replays" / "2026", 0o750),
            (wide, 0o664),
            (sealed, 0o444),
            (program, 0o755),
            (home / "a.sock", 0o777),
        ):
            path.chmod(mode)
        with caplog.at_level(logging.WARNING):
            assert private_files.correct_rights(home) == 7
    modes = {path.name: _mode(path) for path in (home, wide, sealed, program, wide.parent, home / "a.sock")}
    files = {"one.cast": 0o600, "sealed": 0o400, "program": 0o600}
    assert modes == {"home": 0o700, "2026": 0o700, "a.sock": 0o700, **files}
    assert "one.cast" in caplog.text
    assert private_files.correct_rights(home) == 0


def test_symlink_in_the_data_folder_never_changes_its_target(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir(mode=0o700)
    outside.mkdir()
    outside.chmod(0o755)
    (outside / "file").write_text("x")
    (outside / "file").chmod(0o644)
    (home / "to-folder").symlink_to(outside)
    (home / "to-file").symlink_to(outside / "file")
    (home / "nowhere").symlink_to(home / "missing")
    assert private_files.correct_rights(home) == 0
    assert _mode(outside) == 0o755
    assert _mode(outside / "file") == 0o644


def test_many_corrections_are_counted_instead_of_listed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(50):
        path = tmp_path / f"f{number}"
        path.touch()
        path.chmod(0o666)
    tmp_path.chmod(0o700)
    with caplog.at_level(logging.WARNING):
        assert private_files.correct_rights(tmp_path) == 50
    assert len(caplog.records) == 21
    assert "30 further files" in caplog.records[-1].getMessage()


def test_existing_folder_with_wider_modes_is_narrowed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(0o777)
    assert _mode(private_files.private_folder(folder)) == 0o700


def test_socket_folder_made_by_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In /tmp another user can make the folder first, or put a symlink in its place."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    with pytest.raises(SettingsError, match="must be a folder of the user"):
        private_files.private_folder(tmp_path / "link")
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(SettingsError, match="must be a folder of the user"):
        private_files.private_folder(tmp_path / "theirs")
