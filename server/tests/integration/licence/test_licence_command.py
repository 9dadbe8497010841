"""The commands `postern licence …`: issue, trust, install, show."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from factories.licences import forget_issuers, today
from postern.apps.licence import queries
from postern.apps.licence.models import InstalledLicence
from postern.entrypoints import cli

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_issuer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cli, "_django", lambda: None)  # the test's own Django is loaded
    yield
    forget_issuers()


@pytest.fixture
def issued(tmp_path: Path) -> dict[str, Any]:
    key, out = tmp_path / "issuing.key", tmp_path / "licence.json"
    assert cli.main(["licence", "issue", "--corporation", "Example", "--key", str(key), "--out", str(out)]) == 0
    return {"key": key, "public": key.with_name("issuing.key.pub"), "out": out}


@pytest.mark.spec("S1-043", "S1-044")
def test_licence_is_issued_trusted_installed_and_shown(
    issued: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert issued["key"].stat().st_mode & 0o777 == 0o600
    assert set(json.loads(issued["out"].read_text())) == {"format", "key_id", "payload", "signature"}
    assert cli.main(["licence", "install", str(issued["out"])]) == 1, "nobody is trusted yet"
    assert cli.main(["licence", "show"]) == 1
    assert cli.main(["licence", "trust", str(issued["public"])]) == 0
    assert cli.main(["licence", "install", str(issued["out"])]) == 0
    capsys.readouterr()
    assert cli.main(["licence", "show"]) == 0
    printed = capsys.readouterr().out
    assert "Example" in printed
    assert str(today() + timedelta(days=365)) in printed
    assert queries.state().is_valid


def test_existing_issuing_key_is_used_again(issued: dict[str, Any], tmp_path: Path) -> None:
    before = issued["key"].read_bytes()
    more = ["--until", str(today() + timedelta(days=9)), "--assets", "50", "--edition", "small"]
    second = tmp_path / "second.json"
    arguments = ["licence", "issue", "--corporation", "B", "--key", str(issued["key"]), "--out", str(second), *more]
    assert cli.main(arguments) == 0
    assert issued["key"].read_bytes() == before
    cli.main(["licence", "trust", str(issued["public"])])
    assert cli.main(["licence", "install", str(second)]) == 0
    licence = queries.state().licence
    assert licence is not None
    assert (licence.corporation, licence.edition, licence.asset_count) == ("B", "small", 50)
    assert licence.days_left(today()) == 9


@pytest.mark.parametrize(
    "more", [["--corporation", ""], ["--assets", "0"], ["--until", "2001-01-01"], ["--edition", "e" * 33]]
)
def test_licence_with_contradictory_values_is_not_issued(tmp_path: Path, more: list[str]) -> None:
    out = tmp_path / "licence.json"
    wanted = ["licence", "issue", "--corporation", "A", "--key", str(tmp_path / "k"), "--out", str(out), *more]
    assert cli.main(wanted) != 0
    assert not out.exists()


def test_issuing_key_that_others_can_read_is_refused(issued: dict[str, Any], tmp_path: Path) -> None:
    issued["key"].chmod(0o644)
    out = tmp_path / "again.json"
    arguments = ["licence", "issue", "--corporation", "A", "--key", str(issued["key"]), "--out", str(out)]
    assert cli.main(arguments) != 0
    assert not out.exists()


@pytest.mark.parametrize("content", [b"", b"-----BEGIN PUBLIC KEY-----\nxx\n-----END PUBLIC KEY-----\n"])
def test_file_without_a_key_is_not_trusted(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "key.pub"
    file.write_bytes(content)
    assert cli.main(["licence", "trust", str(file)]) != 0
    assert cli.main(["licence", "trust", str(tmp_path / "missing.pub")]) != 0
    assert not list((settings.POSTERN.home / "licence").glob("trusted/*"))


def test_missing_file_is_not_installed(tmp_path: Path) -> None:
    assert cli.main(["licence", "install", str(tmp_path / "missing.json")]) != 0
    assert not InstalledLicence.objects.exists()
