"""Exports of audit bundles: what they contain, what they say is missing, and when they refuse."""

import errno
import io
import json
import os
import pwd
import resource
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection

from factories.proxy_client import Proxy
from integration.sessions.bundle_tools import (
    edited,
    faults_in,
    keys_of,
    members_of,
    resigned,
    run,
    sign,
    verified,
    wanted,
)
from integration.sessions.test_evidence_chain import tell_rows
from postern.apps.audits import checkpoint_file, checkpoints
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.bundles.actions import Exported, export
from postern.apps.sessions.bundles.archive import Archive
from postern.apps.sessions.bundles.errors import NotExported
from postern.apps.sessions.bundles.recordings import Recordings
from postern.apps.sessions.models import Recording, Session
from postern.apps.sessions.sessions.actions import sealing
from postern.contracts.audit_bundle.bundle_verifier import NotProven
from postern.entrypoints import cli
from postern.foundation.caller.actor import anonymous
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bundle_home")]


def test_export_is_recorded_before_it_is_written(ended: Session, tmp_path: Path) -> None:
    export(wanted(session_ids=(ended.pk,), org_ids=(DEFAULT_ORG_ID,)), tmp_path / "bundle.tar")
    recorded = AuditEvent.objects.get(event="audit.exported")
    assert recorded.org_id == DEFAULT_ORG_ID
    assert recorded.new is not None
    assert recorded.new["operator"] == "ann (uid 1000)"
    assert (recorded.new["sessions"], recorded.new["chosen_sessions"]) == (1, [str(ended.pk)])
    assert recorded.new["events"] > 0
    assert list(audits.verify_log().faults) == []


def test_export_of_one_organization_says_nothing_about_others(ended: Session, tmp_path: Path) -> None:
    export(wanted(org_ids=(DEFAULT_ORG_ID,)), tmp_path / "bundle.tar")
    data = (tmp_path / "bundle.tar").read_bytes()
    assert str(ROOT_ORG_ID).encode() not in data
    assert verified(data)


def test_foreign_or_unknown_session_is_refused(ended: Session, tmp_path: Path) -> None:
    for org_id, session_id in ((ROOT_ORG_ID, ended.pk), (DEFAULT_ORG_ID, uuid4())):
        with pytest.raises(NotExported, match="there is no session"):
            export(wanted(org_ids=(org_id,), session_ids=(session_id,)), tmp_path / "bundle.tar")
    assert not AuditEvent.objects.filter(event="audit.exported").exists()
    assert list(tmp_path.glob("*bundle*")) == []


def test_nothing_is_overwritten(ended: Session, tmp_path: Path) -> None:
    path = tmp_path / "bundle.tar"
    path.write_bytes(b"mine")
    with pytest.raises(NotExported, match="nothing was overwritten"):
        export(wanted(), path)
    assert path.read_bytes() == b"mine"
    with pytest.raises(NotExported, match="cannot be written"):
        export(wanted(), tmp_path / "absent" / "bundle.tar")


def fill(path: Path) -> None:
    with Archive.create(path) as archive:
        archive.add("README.md", [b"x" * 1000])
        archive.add("verify.py", (b"x" * 100_000 for _ in range(20)))


def test_full_disk_ends_the_export_and_leaves_nothing(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        with pytest.raises(NotExported, match="cannot be written: File too large"):
            fill(tmp_path / "bundle.tar")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.glob("*bundle*")) == []


def stored_file(session: Session) -> Path:
    return checkpoint_file.path().parents[1] / "replays" / Recording.objects.get(session=session).path


def test_recording_that_is_gone_or_altered_is_named_and_the_rest_is_proven(ended: Session, tmp_path: Path) -> None:
    file = stored_file(ended)
    content = file.read_bytes()
    for number, (altered, reason) in enumerate(
        (
            (content[:-1] + b"x", "not the one"),
            (content + b"x", "not the one"),
            (content[:-1], "not the one"),
            (None, "gone"),
        )
    ):
        if altered is None:
            file.unlink()
        else:
            file.chmod(0o600)
            file.write_bytes(altered)
        path = tmp_path / f"bundle{number}.tar"
        exported = export(wanted(), path)
        assert (exported.recordings, len(exported.missing)) == (0, 1)
        assert reason in exported.missing[0]
        assert reason in exported.faults[0]
        lines = verified(path.read_bytes())
        assert any(line.startswith(f"MISSING: recording of session '{ended.pk}'") for line in lines)
        assert [line for line in lines if line.startswith("FAULT")] == [f"FAULT: {exported.faults[0]!a}"]


class Hanging:
    """A storage whose reads end after its limit, as those of a remote storage do."""

    def __init__(self) -> None:
        self.asked = 0

    def open(self, path: str, *, size: int, limit_s: float) -> io.BufferedIOBase:
        assert limit_s > 0
        self.asked += 1
        raise TimeoutError("the storage did not answer in time")


def test_storage_that_hangs_is_asked_three_times_and_the_rest_is_exported(
    ended: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = Hanging()
    monkeypatch.setattr("postern.apps.sessions.bundles.recordings.store_of", lambda _storage, _local: hanging)
    with Archive.create(tmp_path / "bundle.tar") as archive:
        recordings = Recordings(archive)
        for _ in range(5):
            recordings.add(ended.pk, {"size": 1, "sha256": "0" * 64})
        assert archive.members == []
    assert hanging.asked == 3
    assert "was not asked again" in recordings.missing[ended.pk]
    exported = export(wanted(), tmp_path / "second.tar")
    assert exported.missing == (f"session {ended.pk}: its storage cannot be read: the storage did not answer in time",)
    assert verified((tmp_path / "second.tar").read_bytes())


@pytest.mark.parametrize(
    "ranged",
    [
        ["x", "2026-11-30"],
        ["2026-11-30", "9999-12-31"],
        ["2026-11-30", "9999-12-31T23:59-14:00"],
        ["", ""],
        ["2026-11-01", "20261130"],
        ["2026-11-01", "2026-W48-1"],
        ["2026-11-01", "20261130T0800"],
        ["2026-11-01", "2026-11-30T08"],
        ["2026-11-01", "2026-11-31"],
        ["2026-11-01", "2026-11-30\n"],
        ["2026-11-01", "٢٠٢٦-١١-٣٠"],
    ],
)
def test_unusable_range_is_a_clear_error(ranged: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["audit", "export", "--from", ranged[0], "--to", ranged[1], str(tmp_path / "bundle.tar")])
    assert "is no day or time such as" in capsys.readouterr().err


@pytest.mark.parametrize("end", ["2026-11-29", "2026-11-30T09:00+01:00", "2026-11-30 08:00:00.000Z"])
def test_range_that_ends_before_it_begins_is_refused(
    end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bundle.tar"
    assert cli.main(["audit", "export", "--from", "2026-11-30T08:00", "--to", end, str(path)]) == 2
    assert "--from must be before --to" in capsys.readouterr().err
    assert not path.exists()


def test_full_disk_of_the_checkpoints_ends_the_export(
    ended: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_values: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint_file, "append", fail)
    with pytest.raises(NotExported, match="cannot be signed: No space left on device"):
        export(wanted(), tmp_path / "bundle.tar")
    assert list(tmp_path.glob("*bundle*")) == []


def test_running_session_is_exported_as_it_is(proxy: Proxy, active: Session, tmp_path: Path) -> None:
    tell_rows(proxy, active)
    sealing.anchor_running()
    tell_rows(proxy, active)
    exported: Exported = export(wanted(), tmp_path / "bundle.tar")
    assert "not stored when the export began" in exported.missing[0]
    data = (tmp_path / "bundle.tar").read_bytes()
    assert any("1 sessions with 10 rows" in line for line in verified(data))
    anchored = edited(
        members_of(data),
        "sessions.jsonl",
        lambda lines: [*lines[:5], lines[5].replace(b'"proof":"0:', b'"proof":"0:0'), *lines[6:]],
    )
    assert faults_in(resigned(anchored, sign)) == [f"FAULT: row 5 of session '{active.pk}' is not the one in the log"]


def test_range_begins_and_ends_at_checkpoints(ended: Session, tmp_path: Path) -> None:
    checkpoints.write()
    middle = clock.now()
    audits.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=True)
    checkpoints.write()
    export(wanted(begin=middle, org_ids=(ROOT_ORG_ID,)), tmp_path / "bundle.tar")
    manifest = json.loads(dict(members_of((tmp_path / "bundle.tar").read_bytes()))["manifest.json"])
    assert manifest["organizations"][0]["first"] > 0
    assert verified((tmp_path / "bundle.tar").read_bytes())


def test_log_that_is_not_intact_is_not_exported(ended: Session, tmp_path: Path) -> None:
    checkpoints.write()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE audits_auditevent DISABLE TRIGGER USER")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'audits_%'")
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence=2).update(user="somebody else")
    with pytest.raises(audits.LogBroken, match="#2"):
        export(wanted(org_ids=(DEFAULT_ORG_ID,)), tmp_path / "bundle.tar")
    assert list(tmp_path.glob("*bundle*")) == []


def test_rotated_key_needs_both_keys(ended: Session, tmp_path: Path) -> None:
    checkpoints.write()
    former = audits.SigningKey.current()
    new = audits.SigningKey.next()
    new.install()
    assert audits.SigningKey.current().key_id == new.key_id
    export(wanted(), tmp_path / "bundle.tar")
    data = (tmp_path / "bundle.tar").read_bytes()
    assert verified(data)
    assert list(audits.verify_log().faults) == []
    for key in (former, new):
        with pytest.raises(NotProven):
            verified(data, audit={key.key_id: key.public})


def test_command_writes_a_bundle_and_says_what_is_missing(
    ended: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    today = clock.now().date().isoformat()
    ranged = ["--from", today, "--to", today]
    path = tmp_path / "bundle.tar"
    monkeypatch.setenv("LOGNAME", "somebody else")
    monkeypatch.delenv("SUDO_USER", raising=False)
    assert cli.main(["audit", "export", *ranged, str(path)]) == 0
    operator = f"{pwd.getpwuid(os.getuid()).pw_name} (uid {os.getuid()})"
    assert {event.new["operator"] for event in AuditEvent.objects.filter(event="audit.exported")} == {operator}
    assert "1 sessions and 1 recordings" in capsys.readouterr().out
    assert run(path, *keys_of(tmp_path)).returncode == 0
    assert cli.main(["audit", "export", *ranged, str(path)]) == 1
    assert "nothing was overwritten" in capsys.readouterr().err
    stored_file(ended).unlink()
    assert cli.main(["audit", "export", *ranged, "--session", str(ended.pk), str(tmp_path / "second.tar")]) == 1
    assert f"missing recording of session {ended.pk}: its file is gone" in capsys.readouterr().out
    assert cli.main(["audit", "export", *ranged, "--org", "absent", str(tmp_path / "third.tar")]) == 1
    assert cli.main(["audit", "keys"]) == 0
    assert audits.SigningKey.current().public.hex() in capsys.readouterr().out
    assert cli.main(["audit", "rotate-key"]) == 0
    assert AuditEvent.objects.get(event="audit.key_rotated").resource_id == audits.SigningKey.current().key_id
