"""Replays over the API: description, bytes and ranges, export, archive, proof; and no byte without the right to it."""

import io
import json
import os
import signal
import tarfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.proxy_client import Proxy
from postern.apps.sessions.models import Recording, Session
from postern.apps.sessions.viewings import texts
from postern.apps.sessions.viewings.opening import OpenRecording
from postern.apps.sessions.viewings.texts import TextOfRecording
from postern.contracts.recording import RecordingUnreadable

FIXTURES = Path(__file__).parents[2] / "fixtures" / "recordings"


def url(session: Session, tail: str = "") -> str:
    return f"/api/v1/terminal/sessions/{session.pk}/replay/{tail}"


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content)


@pytest.mark.spec("S1-027")
def test_replay_describes_the_recording(
    replayed: Session, as_auditor: APIClient, content: bytes, audit_events: Callable[[], list[str]]
) -> None:
    replay = as_auditor.get(url(replayed)).json()
    assert replay["type"] == "postern"
    assert replay["src"] == url(replayed, "content/")
    assert replay["download_url"] == url(replayed, "download/")
    assert replay["cast_url"] == url(replayed, "cast/")
    assert (replay["size"], replay["state"], replay["user"]) == (len(content), "sealed", "Uma(uma)")
    assert audit_events()[-1] == "replay.opened"
    row = as_auditor.get(f"/api/v1/terminal/sessions/{replayed.pk}/").json()
    assert (row["has_replay"], row["can_replay"], row["recording_state"]) == (True, True, "sealed")


def test_replay_content_is_served_whole_and_in_ranges(replayed: Session, as_auditor: APIClient, content: bytes) -> None:
    whole = as_auditor.get(url(replayed, "content/"))
    assert whole.status_code == 200
    assert body(whole) == content
    assert whole.headers["Content-Length"] == str(len(content))
    for wanted, part in (
        ("bytes=0-99", content[:100]),
        ("bytes=100-", content[100:]),
        ("bytes=-131072", content),
        ("bytes=-28", content[-28:]),
    ):
        answer = as_auditor.get(url(replayed, "content/"), HTTP_RANGE=wanted)
        assert answer.status_code == 206
        assert body(answer) == part
        assert answer.headers["Content-Range"].endswith(f"/{len(content)}")
    for wanted in (f"bytes={len(content)}-", "bytes=5-1", "bytes=0-1,4-5"):
        answer = as_auditor.get(url(replayed, "content/"), HTTP_RANGE=wanted)
        assert answer.status_code == 416
        assert answer.headers["Content-Range"] == f"bytes */{len(content)}"


def test_k57_replay_is_never_served_as_a_page(replayed: Session, as_auditor: APIClient) -> None:
    for tail in ("content/", "cast/", "text/", "download/"):
        answer = as_auditor.get(url(replayed, tail))
        body(answer)
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"


def test_replay_is_exported_as_asciicast(
    replayed: Session, as_auditor: APIClient, audit_events: Callable[[], list[str]]
) -> None:
    lines = body(as_auditor.get(url(replayed, "cast/"))).splitlines()
    assert json.loads(lines[0])["version"] == 2
    assert all(len(json.loads(line)) == 3 for line in lines[1:])
    assert audit_events()[-2:] == ["replay.exported", "replay.fetched"]


def test_replay_is_exported_as_asciicast_3_and_as_no_other(replayed: Session, as_auditor: APIClient) -> None:
    lines = body(as_auditor.get(url(replayed, "cast/"), {"version": "3"})).splitlines()
    assert json.loads(lines[0])["version"] == 3
    refused = as_auditor.get(url(replayed, "cast/"), {"version": "1"})
    assert (refused.status_code, list(refused.json())) == (400, ["version"])


def test_replay_is_exported_as_text(
    replayed: Session, as_auditor: APIClient, audit_events: Callable[[], list[str]]
) -> None:
    answer = as_auditor.get(url(replayed, "text/"))
    assert "total 12\n" in body(answer).decode()
    assert f'filename="{replayed.pk}.txt"' in answer.headers["Content-Disposition"]
    assert audit_events()[-2:] == ["replay.exported", "replay.fetched"]
    assert "\n[00:00:02] total 12\n" in body(as_auditor.get(url(replayed, "text/"), {"times": "1"})).decode()
    refused = as_auditor.get(url(replayed, "text/"), {"times": "yes"})
    assert (refused.status_code, list(refused.json())) == (400, ["times"])


def test_damaged_replay_says_so_in_its_text(replayed: Session, as_auditor: APIClient, replay_folder: Path) -> None:
    (replay_folder / Recording.objects.get().path).write_bytes(b"no recording")
    assert body(as_auditor.get(url(replayed, "text/"))).startswith(b"[This recording cannot be read.")


def test_replay_is_downloaded_as_an_archive(
    replayed: Session, as_auditor: APIClient, content: bytes, audit_events: Callable[[], list[str]]
) -> None:
    answer = as_auditor.get(url(replayed, "download/"))
    data = body(answer)
    assert answer.headers["Content-Length"] == str(len(data))
    assert f"{replayed.pk}.tar" in answer.headers["Content-Disposition"]
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        described = archive.extractfile(f"{replayed.pk}.json")
        recording = archive.extractfile(f"{replayed.pk}.postern")
        assert described is not None
        assert recording is not None
        assert json.loads(described.read())["asset"] == "web-1"
        assert recording.read() == content
    assert audit_events()[-2:] == ["replay.downloaded", "replay.fetched"]


def test_replay_is_verified_and_every_change_is_detected(
    replayed: Session, as_auditor: APIClient, content: bytes, replay_folder: Path
) -> None:
    good = as_auditor.post(url(replayed, "verify/")).json()
    assert good["valid"] is True
    row = Recording.objects.get()
    assert (good["sha256"], good["chain"]) == (row.sha256, row.chain)
    file = replay_folder / row.path
    for place in (0, len(content) // 2, len(content) - 1):
        forged = bytearray(content)
        forged[place] ^= 1
        file.write_bytes(forged)
        assert as_auditor.post(url(replayed, "verify/")).json()["valid"] is False
    # Another genuine recording sealed with the same key does not belong to this session.
    file.write_bytes((FIXTURES / "tiny.postern").read_bytes())
    other = as_auditor.post(url(replayed, "verify/")).json()
    assert (other["valid"], other["reason"]) == (False, other["reason"])
    assert other["reason"] in {"other_session", "not_as_announced"}


def test_missing_replay_gets_a_clear_error(
    proxy: Proxy, active: Session, as_auditor: APIClient, content: bytes
) -> None:
    for tail in ("", "content/", "cast/", "text/", "download/"):
        answer = as_auditor.get(url(active, tail))
        assert answer.status_code == 404
        assert answer.json()["error"]
    proxy.seal(active.pk, content)  # announced, but not uploaded yet
    assert as_auditor.get(url(active)).status_code == 404
    assert as_auditor.get("/api/v1/terminal/sessions/nonsense/replay/").status_code == 404


def test_replay_that_the_storage_lost_gets_a_clear_error(
    replayed: Session, as_auditor: APIClient, replay_folder: Path
) -> None:
    (replay_folder / Recording.objects.get().path).unlink()
    assert as_auditor.get(url(replayed, "content/")).status_code == 404
    assert as_auditor.post(url(replayed, "verify/")).status_code == 404


def test_k4_every_byte_of_a_replay_needs_the_right_to_its_session(
    replayed: Session, as_anonymous: APIClient, as_user: APIClient, proxy: Proxy
) -> None:
    for tail in ("", "content/", "cast/", "text/", "download/"):
        for headers in ({}, {"HTTP_RANGE": "bytes=0-0"}):
            assert as_anonymous.get(url(replayed, tail), **headers).status_code == 401
            assert as_user.get(url(replayed, tail), **headers).status_code == 403
        # The credential of a proxy may upload recordings, but not read them.
        assert proxy.http.get(url(replayed, tail), headers=proxy.headers).status_code == 401
    assert as_anonymous.post(url(replayed, "verify/")).status_code == 401
    assert as_anonymous.get(f"/replays/{Recording.objects.get().path}").status_code == 404


class WaitingText:
    """A text whose process waits until it is let go."""

    def __init__(self, closers: ExitStack) -> None:
        reading, self._writing = os.pipe()
        self.file = closers.enter_context(os.fdopen(reading, "rb"))
        closers.callback(self.let_go)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(texts, "_PROGRAM", "code")  # Python's own console: it waits for its standard input to end
            self.text = TextOfRecording(OpenRecording(self.file, None, ExitStack()), 0, times=False)
        closers.callback(self.text.close)
        assert self.text._process is not None
        self.process = self.text._process

    def let_go(self) -> None:
        if self._writing >= 0:
            os.close(self._writing)
        self._writing = -1


def test_only_some_replays_are_turned_into_text_at_once(
    replayed: Session, as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "MOST_WRITTEN", 1)
    address = url(replayed, "text/")
    with ExitStack() as closers:
        first = WaitingText(closers)
        refused = as_auditor.get(address)
        assert (refused.status_code, refused.json()["code"]) == (503, "replay_unavailable")
        first.let_go()
        first.process.wait()
        # The text of the first is still to be sent: a slow client holds up nobody.
        assert b"total 12" in body(as_auditor.get(address))


def test_text_that_nobody_reads_any_more_ends_its_process() -> None:
    with ExitStack() as closers:
        waiting = WaitingText(closers)
        waiting.text.close()
        waiting.text.close()
        assert waiting.process.returncode == -signal.SIGKILL
        with pytest.raises(RecordingUnreadable):
            next(waiting.text.pieces())


def test_text_of_a_process_that_is_killed_is_not_taken_for_whole() -> None:
    with ExitStack() as closers:
        waiting = WaitingText(closers)
        waiting.process.kill()
        with pytest.raises(RecordingUnreadable):
            list(waiting.text.pieces())
