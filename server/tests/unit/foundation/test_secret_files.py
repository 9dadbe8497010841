"""Secret files are made once and are readable by their owner only."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from postern.foundation.machine import secret_files
from postern.kernel.errors import SettingsError
from postern.kernel.ids import new_token


def test_missing_secret_file_is_made_with_private_modes(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "a.key"
    assert secret_files.read_or_create(path, lambda: "value-1") == "value-1"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_existing_secret_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    secret_files.read_or_create(path, lambda: "value-1")
    assert secret_files.read_or_create(path, lambda: "value-2") == "value-1"


def test_secret_file_readable_by_others_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    path.write_text("x")
    path.chmod(0o644)
    with pytest.raises(SettingsError, match="0600"):
        secret_files.read(path)


def test_secret_file_made_concurrently_has_one_value(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    with ThreadPoolExecutor(8) as pool:
        values = set(pool.map(lambda _: secret_files.read_or_create(path, new_token), range(32)))
    assert len(values) == 1
    assert list(tmp_path.iterdir()) == [path]
