"""Recordings in remote storages: they arrive here, are copied there, moved, played and deleted, whatever breaks on the way."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from factories.hearing import Hearing
from factories.proxy_client import Proxy
from peers.s3_server import OddService, S3Server, odd_service
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import (
    DoomedFile,
    Recording,
    RecordingCopy,
    RecordingMove,
    ReplayStorage,
    Session,
    Terminal,
)
from postern.apps.sessions.recordings import tasks
from postern.apps.sessions.recordings.actions import copying, moving, retention
from postern.apps.sessions.recordings.events import RecordingsNotCopied
from postern.apps.sessions.storages import places
from postern.apps.sessions.viewings import opening
from postern.apps.vault import facade as vault
from postern.contracts import events
from postern.contracts.enums import EndReason
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.integrations.replay_storages.s3 import bucket as buckets
from postern.kernel import clock
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret

pytestmark = pytest.mark.django_db

STORAGES = "/api/v1/terminal/replay-storages/"
LARGE = 20 << 20


class KilledError(BaseException):
    """Simulates the death of the process: nothing after this point runs."""


def dies(*_: object, **__: object) -> None:
    raise KilledError


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    running = S3Server()
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _here(settings: Any, replay_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets on loopback may be dialled, and the worker uses the folder of the test."""
    settings.POSTERN = replace(settings.POSTERN, allow_local_targets=True)
    monkeypatch.setattr(tasks, "replay_storage", lambda: LocalFolder(replay_folder))


def make_storage(name: str, endpoint: str, bucket: str) -> ReplayStorage:
    row = ReplayStorage.objects.create(name=name, type="ceph", meta={"BUCKET": bucket, "ENDPOINT": endpoint})
    for column in ("ACCESS_KEY", "SECRET_KEY"):
        vault.put_secret(places.place_of(row, column), Secret("secret"))
    return row


@pytest.fixture
def bucket(server: S3Server) -> str:
    return server.make_bucket(f"a-{uuid4()}")


@pytest.fixture
def other_bucket(server: S3Server) -> str:
    return server.make_bucket(f"b-{uuid4()}")


@pytest.fixture
def archive(server: S3Server, bucket: str) -> ReplayStorage:
    return make_storage("archive", server.endpoint, bucket)


@pytest.fixture
def cold(server: S3Server, other_bucket: str) -> ReplayStorage:
    return make_storage("cold", server.endpoint, other_bucket)


@pytest.fixture
def here() -> ReplayStorage:
    return ReplayStorage.objects.get(name="default")


def record(proxy: Proxy, session: Session, content: bytes) -> Recording:
    """The proxy seals and uploads the recording of a session."""
    proxy.seal(session.pk, content)
    part = 4 << 20
    for first in range(0, len(content), part):
        answer = proxy.put(session.pk, content[first : first + part], first, len(content))
        assert answer.status_code == 200, answer.content
    return Recording.objects.get(pk=session.pk)


def use(storage: ReplayStorage | str) -> None:
    Terminal.objects.update(replay_storage=str(storage))


def run() -> int:
    return int(tasks.copy_recordings())


def key_of(recording: Recording, storage: ReplayStorage) -> str:
    return f"{storage.pk}/{recording.path}"


def later(**delta: float) -> Any:
    return mock.patch.object(clock, "now", return_value=clock.now() + timedelta(**delta))


def played(client: APIClient, session_id: UUID) -> bytes:
    answer: Any = client.get(f"/api/v1/terminal/sessions/{session_id}/replay/content/")
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


class TestUpload:
    def test_recording_goes_to_the_storage_of_its_terminal(
        self,
        *,
        proxy: Proxy,
        active: Session,
        archive: ReplayStorage,
        as_auditor: APIClient,
        replay_folder: Path,
        server: S3Server,
        bucket: str,
        audit_events: Callable[[], list[str]],
    ) -> None:
        use(archive)
        recording = record(proxy, active, b"content")
        assert (recording.storage_id, RecordingCopy.objects.get().target_id) == (None, archive.pk)
        assert played(as_auditor, active.pk) == b"content"
        assert run() == 1
        recording.refresh_from_db()
        assert recording.storage_id == archive.pk
        assert server.keys(bucket) == [key_of(recording, archive)]
        assert files(replay_folder) == []
        assert played(as_auditor, active.pk) == b"content"
        event = AuditEvent.objects.get(event="recording.moved")
        assert (event.old["storage"], event.new["storage"]) == ("default", "archive")
        assert run() == 0

    def test_recording_of_a_terminal_without_a_known_storage_goes_to_the_default(
        self, proxy: Proxy, active: Session, archive: ReplayStorage
    ) -> None:
        use("gone")
        ReplayStorage.objects.update(is_default=False)
        ReplayStorage.objects.filter(pk=archive.pk).update(is_default=True)
        record(proxy, active, b"content")
        assert RecordingCopy.objects.get().target_id == archive.pk

    def test_recording_of_this_server_stays(self, proxy: Proxy, active: Session, replay_folder: Path) -> None:
        record(proxy, active, b"content")
        assert run() == 0
        assert not RecordingCopy.objects.exists()
        assert files(replay_folder) == [f"{active.pk}.postern"]

    def test_replay_is_played_in_ranges_exported_and_verified_from_a_bucket(
        self, *, replayed: Session, archive: ReplayStorage, here: ReplayStorage, as_auditor: APIClient, content: bytes,
        as_admin: APIClient, replay_folder: Path,
    ) -> None:  # fmt: skip
        moving.start_move(actor=SYSTEM, source=here, target=archive)
        assert run() == 1
        assert files(replay_folder) == []
        url = f"/api/v1/terminal/sessions/{replayed.pk}/replay/"
        answer: Any = as_auditor.get(f"{url}content/", HTTP_RANGE="bytes=-28")
        assert b"".join(answer.streaming_content) == content[-28:]
        assert as_auditor.post(f"{url}verify/").json()["valid"] is True
        download: Any = as_auditor.get(f"{url}download/")
        assert content in b"".join(download.streaming_content)
        text: Any = as_auditor.get(f"{url}text/")
        assert b"\ntotal 12\n" in b"".join(text.streaming_content)


class TestFailures:
    def test_storage_that_is_gone_keeps_the_recording_here_and_playable(
        self,
        *,
        proxy: Proxy,
        active: Session,
        as_auditor: APIClient,
        replay_folder: Path,
        server: S3Server,
        bucket: str,
    ) -> None:
        storage = make_storage("archive", "http://127.0.0.1:1", bucket)
        use(storage)
        record(proxy, active, b"content")
        for wait_s in (0, 31, 92):
            with later(seconds=wait_s):
                assert run() == 0
        copy = RecordingCopy.objects.get()
        assert (copy.tries, bool(copy.reason)) == (3, True)
        assert played(as_auditor, active.pk) == b"content"
        ReplayStorage.objects.update(meta={"BUCKET": bucket, "ENDPOINT": server.endpoint})
        with later(hours=2):
            assert run() == 1
        assert server.keys(bucket) == [key_of(Recording.objects.get(), storage)]

    def test_administrators_are_told_once_that_copies_keep_failing(
        self,
        *,
        proxy: Proxy,
        active: Session,
        bucket: str,
        hear: Hearing,
        django_capture_on_commit_callbacks: Any,
    ) -> None:
        told = hear(RecordingsNotCopied)
        storage = make_storage("archive", "http://127.0.0.1:1", bucket)
        use(storage)
        record(proxy, active, b"content")
        for number in range(8):
            with later(hours=2 * number), django_capture_on_commit_callbacks(execute=True):
                run()
            assert bool(told) == (number >= 5), number
        assert told == [RecordingsNotCopied(storage.pk, "archive", 1)]

    @pytest.mark.parametrize(
        ("code", "reason"),
        [
            ("InvalidAccessKeyId", "does not accept the access key"),
            ("SignatureDoesNotMatch", "does not accept the access key"),
            ("AccessDenied", "refuses this to the access key"),
            ("RequestTimeTooSkewed", "Set the clock of this machine"),
        ],
    )
    def test_refusal_is_shown_with_its_reason_and_tried_again(
        self, proxy: Proxy, active: Session, as_admin: APIClient, code: str, reason: str
    ) -> None:
        with odd_service(OddService(code=code)) as odd:
            storage = make_storage("archive", odd.endpoint, "recordings")
            use(storage)
            record(proxy, active, b"content")
            assert run() == 0
        state = as_admin.get(f"{STORAGES}{storage.pk}/move-recordings/", HTTP_ACCEPT_LANGUAGE="en").json()
        assert (state["waiting"], state["failing"]) == (1, 1)
        assert reason in state["reason"]

    def test_copy_that_differs_is_deleted_and_the_source_stays(
        self,
        *,
        proxy: Proxy,
        active: Session,
        archive: ReplayStorage,
        server: S3Server,
        bucket: str,
        replay_folder: Path,
    ) -> None:
        use(archive)
        recording = record(proxy, active, b"content")
        server.client.put_object(
            Bucket=bucket,
            Key=key_of(recording, archive),
            Body=b"CONTENT",
            Metadata={"sha256": recording.sha256},
        )
        assert run() == 0
        assert server.keys(bucket) == []
        assert files(replay_folder) == [f"{active.pk}.postern"]
        event = AuditEvent.objects.get(event="recording.copy_refused")
        assert event.new["recording_itself_differs"] is False
        with later(minutes=1):
            assert run() == 1

    def test_damaged_recording_stays_where_it_is(
        self,
        *,
        proxy: Proxy,
        active: Session,
        archive: ReplayStorage,
        server: S3Server,
        bucket: str,
        replay_folder: Path,
    ) -> None:
        use(archive)
        recording = record(proxy, active, b"content")
        (replay_folder / recording.path).write_bytes(b"CONTENT")
        assert run() == 0
        assert AuditEvent.objects.get(event="recording.copy_refused").new["recording_itself_differs"] is True
        assert files(replay_folder) == [f"{active.pk}.postern"]
        assert server.keys(bucket) == []

    def test_storage_that_fails_while_it_is_played_gets_a_clear_error(
        self, proxy: Proxy, active: Session, archive: ReplayStorage, as_auditor: APIClient
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        run()
        ReplayStorage.objects.filter(pk=archive.pk).update(meta={"BUCKET": "x", "ENDPOINT": "http://127.0.0.1:1"})
        answer = as_auditor.get(f"/api/v1/terminal/sessions/{active.pk}/replay/content/")
        assert (answer.status_code, answer.json()["code"]) == (503, "replay_unavailable")

    def test_replay_is_opened_by_its_first_range_alone(
        self, proxy: Proxy, active: Session, archive: ReplayStorage, as_auditor: APIClient
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        run()
        with mock.patch.object(buckets.Bucket, "_head", side_effect=AssertionError):
            assert played(as_auditor, active.pk) == b"content"

    def test_replay_that_is_missing_from_its_bucket_is_told(
        self, *, proxy: Proxy, active: Session, archive: ReplayStorage, as_auditor: APIClient, server: S3Server,
        bucket: str,
    ) -> None:  # fmt: skip
        use(archive)
        recording = record(proxy, active, b"content")
        run()
        server.client.delete_object(Bucket=bucket, Key=key_of(recording, archive))
        url = f"/api/v1/terminal/sessions/{active.pk}/replay/"
        for answer in (as_auditor.get(f"{url}content/"), as_auditor.post(f"{url}verify/")):
            assert (answer.status_code, answer.json()["code"]) == (404, "replay_missing")

    def test_replay_in_a_bucket_that_fails_cannot_be_verified(
        self, proxy: Proxy, active: Session, archive: ReplayStorage, as_auditor: APIClient
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        run()
        ReplayStorage.objects.filter(pk=archive.pk).update(meta={"BUCKET": "x", "ENDPOINT": "http://127.0.0.1:1"})
        answer = as_auditor.post(f"/api/v1/terminal/sessions/{active.pk}/replay/verify/")
        assert (answer.status_code, answer.json()["code"]) == (503, "replay_unavailable")

    def test_replays_of_a_bucket_that_hangs_are_refused_beyond_a_number(
        self, proxy: Proxy, active: Session, archive: ReplayStorage, as_auditor: APIClient
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        run()
        url = f"/api/v1/terminal/sessions/{active.pk}/replay/content/"
        opened: list[Any] = [as_auditor.get(url) for _ in range(opening.MOST_SENT)]
        refused = as_auditor.get(url)
        assert (refused.status_code, refused.json()["code"]) == (503, "replay_unavailable")
        for answer in opened:
            assert b"".join(answer.streaming_content) == b"content"
        assert played(as_auditor, active.pk) == b"content"

    def test_request_that_opens_a_replay_waits_briefly(
        self, proxy: Proxy, active: Session, archive: ReplayStorage, as_auditor: APIClient,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        use(archive)
        record(proxy, active, b"content")
        run()
        assert buckets.PERSON_S <= 10
        monkeypatch.setattr(buckets, "PERSON_S", 1.0)
        with odd_service(OddService(manner="silent")) as odd:
            ReplayStorage.objects.filter(pk=archive.pk).update(meta={"BUCKET": "x", "ENDPOINT": odd.endpoint})
            began_s = monotonic_s()
            answer = as_auditor.get(f"/api/v1/terminal/sessions/{active.pk}/replay/content/")
        assert monotonic_s() - began_s < 8
        assert (answer.status_code, answer.json()["code"]) == (503, "replay_unavailable")

    def test_full_disk_of_this_server_stops_a_move_here(
        self, *, proxy: Proxy, active: Session, archive: ReplayStorage, here: ReplayStorage, as_auditor: APIClient
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        run()
        moving.start_move(actor=SYSTEM, source=archive, target=here)
        with mock.patch.object(LocalFolder, "free_bytes", return_value=1 << 20), later(hours=2):
            assert run() == 0
        assert "disk space" in moving.state_of(archive).reason or moving.state_of(archive).failing == 1
        assert played(as_auditor, active.pk) == b"content"


#: Where the worker is killed: what dies, and whether its work was done before.
KILLS = {
    "before anything is sent": (buckets.Bucket, "_head"),
    "before the first part": (copying._Progress, "begin"),
    "between two parts": (copying._Progress, "_write"),
    "before the copy is completed": (buckets.Bucket, "_call:complete_multipart_upload"),
    "after the copy is completed": (copying, "_digest"),
    "before the row says so": (copying, "_switch"),
    "while the row says so": (copying, "doom"),
    "before the source is deleted": (retention, "delete_doomed_files"),
    "while the source is deleted": (LocalFolder, "delete"),
    "after the source is deleted": (DoomedFile, "delete"),
}


class TestKills:
    @pytest.mark.parametrize("point", KILLS)
    def test_copy_is_completed_after_a_kill_at_any_point(
        self,
        *,
        proxy: Proxy,
        active: Session,
        archive: ReplayStorage,
        as_auditor: APIClient,
        server: S3Server,
        bucket: str,
        replay_folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        point: str,
    ) -> None:
        use(archive)
        content = os.urandom(LARGE)
        record(proxy, active, content)
        with monkeypatch.context() as killed:
            self.kill(killed, *KILLS[point])
            with pytest.raises(KilledError):
                run()
        assert hashlib.sha256(played(as_auditor, active.pk)).digest() == hashlib.sha256(content).digest()
        with later(minutes=11):  # the lease of the dead worker has ended
            run()
        assert Recording.objects.get().storage_id == archive.pk
        assert server.keys(bucket) == [key_of(Recording.objects.get(), archive)]
        assert server.uploads(bucket) == []
        assert files(replay_folder) == []
        assert not RecordingCopy.objects.exists()
        assert not DoomedFile.objects.exists()
        assert AuditEvent.objects.filter(event="recording.moved").count() == 1
        assert hashlib.sha256(played(as_auditor, active.pk)).digest() == hashlib.sha256(content).digest()

    @staticmethod
    def kill(patch: pytest.MonkeyPatch, place: Any, name: str) -> None:
        name, _, operation = name.partition(":")
        if operation:
            call = getattr(place, name)

            def dies_at(self: Any, wanted: str, *args: Any, **values: Any) -> Any:
                return dies() if wanted == operation else call(self, wanted, *args, **values)

            patch.setattr(place, name, dies_at)
        elif name == "_write":
            patch.setattr(place, "advance", dies)
        else:
            patch.setattr(place, name, dies)

    def test_worker_that_stood_still_changes_nothing(
        self, proxy: Proxy, active: Session, archive: ReplayStorage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        digest = copying._digest

        def stands_still(*args: Any) -> str:
            # Meanwhile another worker has taken the row.
            RecordingCopy.objects.update(date_due=clock.now() + timedelta(minutes=20))
            return digest(*args)

        monkeypatch.setattr(copying, "_digest", stands_still)
        assert run() == 0
        assert Recording.objects.get().storage_id is None
        assert RecordingCopy.objects.count() == 1


class TestEndpoints:
    KEYS = {"ACCESS_KEY": "key", "SECRET_KEY": "secret"}

    def change(self, admin: APIClient, storage: ReplayStorage, endpoint: str) -> Any:
        meta = {"ENDPOINT": endpoint, **self.KEYS}
        return admin.patch(f"{STORAGES}{storage.pk}/", {"meta": meta}, format="json", headers={"Accept-Language": "en"})

    def test_endpoint_that_changes_during_a_copy_starts_the_copy_again(
        self, *, proxy: Proxy, active: Session, archive: ReplayStorage, server: S3Server, bucket: str,
        as_admin: APIClient, as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        use(archive)
        record(proxy, active, b"content")
        digest, other = copying._digest, S3Server()
        other.make_bucket(bucket)

        def changes(*args: Any) -> str:
            monkeypatch.setattr(copying, "_digest", digest)
            assert self.change(as_admin, archive, other.endpoint).status_code == 200
            return digest(*args)

        monkeypatch.setattr(copying, "_digest", changes)
        try:
            assert run() == 1
            assert other.keys(bucket) == [key_of(Recording.objects.get(), archive)]
            assert played(as_auditor, active.pk) == b"content"
        finally:
            other.stop()

    def test_endpoint_is_changed_only_to_where_the_recordings_are(
        self, *, proxy: Proxy, active: Session, archive: ReplayStorage, server: S3Server, bucket: str,
        as_admin: APIClient, as_auditor: APIClient,
    ) -> None:  # fmt: skip
        use(archive)
        record(proxy, active, b"content")
        run()
        with odd_service(OddService(status=404, code="NoSuchKey")) as odd:
            refused = self.change(as_admin, archive, odd.endpoint)
        assert (refused.status_code, list(refused.json())) == (400, ["meta"])
        assert self.change(as_admin, archive, "http://127.0.0.1:1").status_code == 400
        assert self.change(as_admin, archive, f"http://localhost:{server.port}").status_code == 200
        assert played(as_auditor, active.pk) == b"content"


class TestDefects:
    def test_copy_that_fails_unexpectedly_has_a_reason(
        self, proxy: Proxy, active: Session, archive: ReplayStorage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        monkeypatch.setattr(buckets.Bucket, "copy_in", lambda *_: {}["defect"])
        assert run() == 0
        copy = RecordingCopy.objects.get()
        assert (copy.tries, bool(copy.reason)) == (1, True)


class TestTurns:
    def test_dead_storage_holds_up_no_other(
        self, *, proxy: Proxy, world: Any, archive: ReplayStorage, server: S3Server, bucket: str
    ) -> None:
        with odd_service(OddService()) as odd:
            dead = make_storage("dead", odd.endpoint, "recordings")
            for target in (dead, dead, dead, archive):
                use(target)
                grant = proxy.authorize(world.user, "web-1").grant
                proxy.start(grant.session_id, recording=True)
                record(proxy, Session.objects.get(pk=grant.session_id), b"content")
            assert run() == 1
            assert [line.split()[0] for line in odd.requests] == ["HEAD", "GET"], (
                "one recording was tried, and its refusal explained"
            )
            assert len(server.keys(bucket)) == 1
            assert RecordingCopy.objects.filter(target=dead, date_due__gt=clock.now()).count() == 3


class TestDeletion:
    def test_dead_storage_is_asked_once_and_others_are_cleaned(
        self, *, archive: ReplayStorage, server: S3Server, bucket: str, replay_folder: Path
    ) -> None:
        path = "2026/11/21/{}.postern"
        with odd_service(OddService()) as odd:
            dead = make_storage("dead", odd.endpoint, "recordings")
            keys = [uuid4() for _ in range(6)]
            for number, key in enumerate(keys):
                place = (dead, dead, dead, archive, None, None)[number]
                DoomedFile.objects.create(session_id=key, path=path.format(key), storage=place)
            here = replay_folder / path.format(keys[5])
            here.parent.mkdir(parents=True)
            here.write_bytes(b"content")
            server.client.put_object(Bucket=bucket, Key=f"{archive.pk}/{path.format(keys[3])}", Body=b"content")
            assert retention.delete_doomed_files(storage=LocalFolder(replay_folder)) == 3
            asked = len(odd.requests)
            assert retention.delete_doomed_files(storage=LocalFolder(replay_folder)) == 0
            assert len(odd.requests) == asked
        assert (server.keys(bucket), files(replay_folder)) == ([], [])
        assert set(DoomedFile.objects.values_list("session_id", flat=True)) == set(keys[:3])

    def test_worker_that_stood_still_deletes_nothing(
        self, archive: ReplayStorage, server: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = f"2026/11/21/{uuid4()}.postern"
        DoomedFile.objects.create(session_id=uuid4(), path=path, storage=archive)
        server.client.put_object(Bucket=bucket, Key=f"{archive.pk}/{path}", Body=b"the new copy")
        monkeypatch.setattr(buckets.Bucket, "give_up", lambda *_: DoomedFile.objects.all().delete())
        assert retention.delete_doomed_files(storage=LocalFolder(Path())) == 0
        assert len(server.keys(bucket)) == 1

    def test_recording_in_a_bucket_is_deleted_with_its_session(
        self, *, proxy: Proxy, active: Session, archive: ReplayStorage, server: S3Server, bucket: str
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        run()
        self.age(proxy, active)
        tasks.forget_old_sessions()
        assert server.keys(bucket) == []
        assert not DoomedFile.objects.exists()

    def test_unfinished_copy_goes_with_its_session(
        self, *, proxy: Proxy, active: Session, archive: ReplayStorage, server: S3Server, bucket: str, replay_folder: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        use(archive)
        record(proxy, active, os.urandom(LARGE))
        with monkeypatch.context() as killed:
            killed.setattr(copying._Progress, "advance", dies)
            with pytest.raises(KilledError):
                run()
        assert len(server.uploads(bucket)) == 1
        self.age(proxy, active)
        tasks.forget_old_sessions()
        assert not Session.objects.exists()
        assert files(replay_folder) == []
        with later(minutes=21):
            run()
        assert server.uploads(bucket) == []
        assert not DoomedFile.objects.exists()

    def test_deletion_that_the_storage_refuses_is_tried_again(
        self, *, proxy: Proxy, active: Session, archive: ReplayStorage, server: S3Server, bucket: str
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        run()
        self.age(proxy, active)
        ReplayStorage.objects.filter(pk=archive.pk).update(meta={"BUCKET": bucket, "ENDPOINT": "http://127.0.0.1:1"})
        tasks.forget_old_sessions()
        assert DoomedFile.objects.count() == 1
        ReplayStorage.objects.filter(pk=archive.pk).update(meta={"BUCKET": bucket, "ENDPOINT": server.endpoint})
        with later(minutes=11):
            run()
        assert server.keys(bucket) == []

    @staticmethod
    def age(proxy: Proxy, session: Session) -> None:
        proxy.tell(events.SessionEnded(session_id=session.pk, at=clock.now(), reason=EndReason.USER_CLOSED))
        end = clock.now() - timedelta(days=900)
        Session.objects.update(date_end=end, date_start=end - timedelta(minutes=1))

    def test_storage_with_recordings_cannot_be_deleted_or_get_another_bucket(
        self, proxy: Proxy, active: Session, archive: ReplayStorage, as_admin: APIClient
    ) -> None:
        use(archive)
        record(proxy, active, b"content")
        use("default")
        url = f"{STORAGES}{archive.pk}/"
        assert as_admin.delete(url).status_code == 400
        run()
        answer = as_admin.delete(url, headers={"Accept-Language": "en"})
        assert "Recordings: 1" in answer.json()["msg"]
        assert as_admin.patch(url, {"meta": {"BUCKET": "other"}}, format="json").status_code == 400


class TestMoves:
    def move(self, admin: APIClient, source: ReplayStorage, target: Any) -> Any:
        url = f"{STORAGES}{source.pk}/move-recordings/"
        return admin.post(url, {"target": str(target)}, format="json", headers={"Accept-Language": "en"})

    @pytest.fixture
    def recorded(self, proxy: Proxy, world: Any, archive: ReplayStorage) -> list[UUID]:
        """Three recordings in the bucket."""
        use(archive)
        keys = []
        for number in range(3):
            grant = proxy.authorize(world.user, "web-1").grant
            proxy.start(grant.session_id, recording=True)
            record(proxy, Session.objects.get(pk=grant.session_id), b"content %d" % number)
            keys.append(grant.session_id)
        assert run() == 3
        return keys

    def test_all_recordings_move_from_bucket_to_bucket(
        self, *, recorded: list[UUID], archive: ReplayStorage, cold: ReplayStorage, as_admin: APIClient,
        as_auditor: APIClient, server: S3Server, bucket: str, other_bucket: str, audit_events: Callable[[], list[str]],
    ) -> None:  # fmt: skip
        state = self.move(as_admin, archive, cold.pk)
        assert (state.status_code, state.json()["target"], state.json()["left"]) == (202, "cold", 3)
        assert state.json()["recordings"] == 3
        assert run() == 3
        assert as_admin.get(f"{STORAGES}{archive.pk}/move-recordings/").json()["recordings"] == 0
        assert len(server.keys(other_bucket)) == 3
        assert len(server.keys(bucket)) == 3  # players that began before may still read there
        assert [played(as_auditor, key) for key in recorded] == [b"content 0", b"content 1", b"content 2"]
        with later(minutes=61):
            run()
        assert server.keys(bucket) == []
        assert not RecordingMove.objects.exists()
        assert audit_events()[-1] == "recordings.move_finished"
        assert as_admin.get(f"{STORAGES}{archive.pk}/move-recordings/").json()["target"] is None

    def test_move_between_two_storages_of_one_bucket_keeps_every_recording(
        self, *, recorded: list[UUID], archive: ReplayStorage, server: S3Server, bucket: str, as_admin: APIClient,
        as_auditor: APIClient,
    ) -> None:  # fmt: skip
        same = make_storage("same bucket", f"http://localhost:{server.port}", bucket)
        assert self.move(as_admin, archive, same.pk).status_code == 202
        assert run() == 3
        with later(minutes=61):
            run()
        assert not DoomedFile.objects.exists()
        assert sorted(server.keys(bucket)) == sorted(key_of(row, same) for row in Recording.objects.all())
        assert [played(as_auditor, key) for key in recorded] == [b"content 0", b"content 1", b"content 2"]

    def test_recordings_come_back_here(
        self, *, recorded: list[UUID], archive: ReplayStorage, here: ReplayStorage, as_admin: APIClient,
        as_auditor: APIClient, replay_folder: Path, server: S3Server, bucket: str,
    ) -> None:  # fmt: skip
        self.move(as_admin, archive, here.pk)
        assert run() == 3
        assert files(replay_folder) == sorted(f"{key}.postern" for key in recorded)
        # And there again: not before the former files there are deleted.
        with later(minutes=1):
            run()
            assert self.move(as_admin, here, archive.pk).status_code == 202
            assert run() == 0
        with later(minutes=62):
            run()
        with later(minutes=63):
            assert run() == 3
        assert len(server.keys(bucket)) == 3
        assert files(replay_folder) == []
        assert played(as_auditor, recorded[0]) == b"content 0"

    def test_recordings_that_are_stored_later_stay(
        self, *, recorded: list[UUID], proxy: Proxy, active: Session, archive: ReplayStorage, cold: ReplayStorage,
        as_admin: APIClient,
    ) -> None:  # fmt: skip
        self.move(as_admin, archive, cold.pk)
        record(proxy, active, b"new")
        run()
        run()
        assert not RecordingMove.objects.exists()
        assert Recording.objects.get(pk=active.pk).storage_id == archive.pk

    def test_copies_to_a_dead_storage_are_redirected(
        self, *, proxy: Proxy, active: Session, here: ReplayStorage, cold: ReplayStorage, as_admin: APIClient
    ) -> None:
        use(make_storage("dead", "http://127.0.0.1:1", "recordings"))
        record(proxy, active, b"content")
        run()
        self.move(as_admin, here, cold.pk)
        assert run() == 1
        assert Recording.objects.get().storage_id == cold.pk

    def test_move_that_makes_no_sense_is_refused(
        self, *, archive: ReplayStorage, cold: ReplayStorage, here: ReplayStorage, as_admin: APIClient,
        as_org_admin: APIClient,
    ) -> None:  # fmt: skip
        null = ReplayStorage.objects.get(name="null")
        for target in (archive.pk, null.pk, uuid4(), "nonsense"):
            assert list(self.move(as_admin, archive, target).json()) == ["target"], target
        assert list(self.move(as_admin, null, cold.pk).json()) == ["target"]
        assert self.move(as_org_admin, archive, cold.pk).status_code == 403
        assert self.move(as_admin, archive, cold.pk).status_code == 202
        assert self.move(as_admin, archive, here.pk).status_code == 409
        assert self.move(as_admin, cold, archive.pk).status_code == 409
        assert AuditEvent.objects.filter(event="recordings.move_started").count() == 1
