"""The index of recordings that lie in remote storages, and of workers that are killed while they read."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from factories.recorded import recorded
from peers.s3_server import OddService, S3Server, odd_service
from postern.apps.sessions.indexing import actions as indexing
from postern.apps.sessions.models import Recording, RecordingIndex, RecordingPiece, ReplayStorage
from postern.apps.sessions.search import actions as search
from postern.apps.sessions.storages import places
from postern.apps.vault import facade as vault
from postern.contracts.recording.format import OUTPUT
from postern.contracts.search.program import ReadingFailed, frames
from postern.integrations.replay_storages.s3 import bucket
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret
from unit.contracts.recording.golden import write_recording

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _here(settings: Any) -> None:
    settings.POSTERN = replace(settings.POSTERN, allow_local_targets=True)


def storage_at(endpoint: str, bucket: str) -> ReplayStorage:
    row = ReplayStorage.objects.create(
        name=f"archive {bucket}", type="ceph", meta={"BUCKET": bucket, "ENDPOINT": endpoint}
    )
    for column in ("ACCESS_KEY", "SECRET_KEY"):
        vault.put_secret(places.place_of(row, column), Secret("secret"))
    return row


@pytest.mark.parametrize("is_slow", [False, True])
def test_recordings_in_a_bucket_are_indexed(
    replay_folder: Path, index: Callable[[], int], monkeypatch: pytest.MonkeyPatch, is_slow: bool
) -> None:
    began_s = monotonic_s()
    now_s, renewed_s = [began_s], []
    if is_slow:
        # Each part of the recording takes half of an hour.
        fetch, renew = bucket.Bucket._read, search.renew

        def slowly(*arguments: Any) -> bytes:
            now_s[0] += 1_800
            return fetch(*arguments)

        def noted(row: RecordingIndex) -> None:
            renewed_s.append(now_s[0])
            renew(row)

        monkeypatch.setattr(bucket.Bucket, "_read", slowly)
        monkeypatch.setattr(search, "renew", noted)
        monkeypatch.setattr(indexing, "_PIECE_BYTES", 64 * 1024)
        monkeypatch.setattr(indexing, "monotonic_s", lambda: now_s[0])
        monkeypatch.setattr(bucket, "monotonic_s", lambda: now_s[0])
    server = S3Server()
    try:
        name = server.make_bucket(f"b-{uuid4()}")
        storage = storage_at(server.endpoint, name)
        steps = [(n, OUTPUT, os.urandom(9_000).hex().encode() + b"\r\n") for n in range(30)] if is_slow else []
        session = recorded(replay_folder, [*steps, (99, OUTPUT, b"needle in a bucket\r\n")])
        recording = Recording.objects.get(pk=session.pk)
        content = (replay_folder / recording.path).read_bytes()
        server.client.put_object(Bucket=name, Key=f"{storage.pk}/{recording.path}", Body=content)
        (replay_folder / recording.path).unlink()
        Recording.objects.filter(pk=session.pk).update(storage=storage)
        assert index() == 1
        assert RecordingPiece.objects.exists()
        if is_slow:
            assert now_s[0] >= began_s + 3_600
            assert began_s + 1_800 in renewed_s, "the lease is renewed while the recording is fetched"
    finally:
        server.stop()


def test_a_bucket_that_hangs_holds_up_nothing_else(
    replay_folder: Path, index: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket, "PERSON_S", 1.0)
    with odd_service(OddService(manner="silent")) as odd:
        storage = storage_at(odd.endpoint, "recordings")
        for _ in range(3):
            session = recorded(replay_folder, "needle\r\n")
            Recording.objects.filter(pk=session.pk).update(storage=storage)
        here = recorded(replay_folder, "needle here\r\n", started=session.date_start.replace(year=2020))
        began_s = monotonic_s()
        assert index() == 1
        assert monotonic_s() - began_s < 20
    assert RecordingIndex.objects.get(pk=here.pk).date_indexed is not None
    assert sorted(RecordingIndex.objects.values_list("tries", "faults")) == [(0, 0), (0, 0), (0, 0), (0, 1)]


def test_a_reader_that_is_killed_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "long.postern"
    write_recording(path, [(n, OUTPUT, b"%d some text of a line\r\n" % n * 500) for n in range(600)])
    with path.open("rb") as file, (tmp_path / "others").open("w+b") as others:
        process = subprocess.Popen(
            [sys.executable, "-m", "postern.contracts.search.program", str(others.fileno())],
            stdin=file,
            stdout=subprocess.PIPE,
            pass_fds=(others.fileno(),),
        )
        assert process.stdout is not None
        answer = frames(process.stdout)
        next(answer)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == 19
        process.send_signal(signal.SIGKILL)
        time.sleep(0.05)
        with pytest.raises(ReadingFailed):
            list(answer)
        process.wait()
        process.stdout.close()
