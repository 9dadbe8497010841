import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from postern.apps.vault.sealed_secrets.keyring import Keyring, KeyringUnusable


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "secrets" / "kek.json"


def test_create_makes_one_private_file_and_never_replaces_it(path: Path) -> None:
    ring = Keyring(path)
    ring.create()
    assert path.stat().st_mode & 0o777 == 0o600
    first = ring.current()
    ring.create()
    assert Keyring(path).current().raw() == first.raw()
    assert [entry.name for entry in path.parent.iterdir()] == ["kek.json"]


def test_added_key_version_is_seen_by_another_process_without_a_restart(path: Path) -> None:
    ring, other = Keyring(path), Keyring(path)
    ring.create()
    old = other.current()
    new = ring.add_version()
    assert other.current().version == new.version == 2
    assert other.version(1).raw() == old.raw()


def test_remove_versions_keeps_the_current_one(path: Path) -> None:
    ring = Keyring(path)
    ring.create()
    ring.add_version()
    ring.remove_versions({1, 2})
    assert set(ring.versions()) == {2}
    with pytest.raises(KeyringUnusable, match="version 1"):
        ring.version(1)


def test_load_of_a_missing_file_says_what_to_do(path: Path) -> None:
    with pytest.raises(KeyringUnusable, match="missing"):
        Keyring(path).current()


def test_load_of_a_file_that_others_may_read_is_refused(path: Path) -> None:
    ring = Keyring(path)
    ring.create()
    path.chmod(0o640)
    with pytest.raises(KeyringUnusable, match="0600"):
        Keyring(path).current()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        json.dumps({"current": 2, "keys": {"1": {"key": "AAAA", "created": "2026-01-01T00:00:00+00:00"}}}),
        json.dumps({"current": 1, "keys": {"1": {"key": "AAAA", "created": "2026-01-01T00:00:00+00:00"}}}),
        json.dumps({"current": 1, "keys": {"1": "text"}}),
    ],
)
def test_load_of_a_damaged_file_is_refused_without_showing_its_content(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(KeyringUnusable) as caught:
        Keyring(path).current()
    assert "AAAA" not in str(caught.value)


def test_repr_of_a_key_does_not_contain_it(path: Path) -> None:
    ring = Keyring(path)
    ring.create()
    key = ring.current()
    assert key.key.reveal() not in repr(key)
