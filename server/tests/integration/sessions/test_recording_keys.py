"""The commands `postern recording keys` and `rotate-key`; recordings of earlier keys stay valid after a rotation."""

from pathlib import Path

import pytest
from rest_framework.test import APIClient

from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import Recording, Session
from postern.contracts.recording import TrustedKeys
from postern.entrypoints import cli
from postern.proxies.core.recording.signing import Rotation, SealingKey

pytestmark = pytest.mark.django_db


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cli, "_django", lambda: None)  # the test's own Django is loaded
    monkeypatch.setenv("POSTERN_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "secrets"


def url(session: Session, tail: str) -> str:
    return f"/api/v1/terminal/sessions/{session.pk}/replay/{tail}"


def present(secrets: Path) -> str:
    return SealingKey.load(secrets / "recording_signing_key.pem").key_id


def test_key_rotation_is_listed_and_audited(secrets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["recording", "rotate-key"]) == 0
    first = present(secrets)
    assert cli.main(["recording", "rotate-key"]) == 0
    second = present(secrets)
    assert first != second
    event = AuditEvent.objects.filter(event="recording.key_rotated").latest("sequence")
    assert (event.user, event.action, event.resource_type, event.resource) == (
        "System",
        "update",
        "RecordingKey",
        second,
    )
    assert (event.old, event.new) == ({"key_id": first}, {"key_id": second})
    capsys.readouterr()
    assert cli.main(["recording", "keys"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines) == sorted([f"  {first}  0 recordings", f"* {second}  0 recordings"])


def test_key_is_not_rotated_when_the_rotation_cannot_be_audited(secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.main(["recording", "rotate-key"]) == 0
    first = present(secrets)

    def full(self: Rotation) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Rotation, "install", full)
    with pytest.raises(OSError, match="no space"):
        cli.main(["recording", "rotate-key"])
    assert present(secrets) == first
    assert TrustedKeys(secrets).ids() == [first]
    assert AuditEvent.objects.filter(event="recording.key_rotated").count() == 1


def test_recording_sealed_with_an_earlier_key_is_valid_after_a_rotation(
    replayed: Session,
    as_auditor: APIClient,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, "_django", lambda: None)
    monkeypatch.setenv("POSTERN_HOME", str(tmp_path))  # the folder in which `replayed` stores its keys
    secrets, key_id = tmp_path / "secrets", Recording.objects.get().key_id
    former = (secrets / "recording_signing_key.pub").read_text()
    (secrets / "recording_keys").mkdir()
    (secrets / "recording_keys" / f"{key_id}.pub").write_text(former)
    assert cli.main(["recording", "rotate-key"]) == 0
    assert (secrets / "recording_signing_key.pub").read_text() != former
    assert as_auditor.post(url(replayed, "verify/")).json()["valid"] is True
    (secrets / "recording_keys" / f"{key_id}.pub").unlink()
    answer = as_auditor.post(url(replayed, "verify/")).json()
    assert (answer["valid"], answer["reason"]) == (False, "other_key")


def test_recording_sealed_with_another_key_than_announced_is_not_valid(
    replayed: Session,
    as_auditor: APIClient,
) -> None:
    Recording.objects.update(key_id="0" * 16)
    answer = as_auditor.post(url(replayed, "verify/")).json()
    assert (answer["valid"], answer["reason"]) == (False, "not_as_announced")
