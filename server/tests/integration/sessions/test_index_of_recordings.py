"""The index of recordings: what happens to it, and what it says of what is not in it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from rest_framework.test import APIClient

from factories.recorded import recorded, store
from factories.searched import HITS, found, grams, lines
from postern.apps.preferences.models import PreferenceValue
from postern.apps.sessions.indexing import actions as indexing
from postern.apps.sessions.models import Recording, RecordingIndex, RecordingPiece, Session
from postern.apps.sessions.recordings.actions import retention
from postern.apps.sessions.search import actions as search
from postern.apps.sessions.search import queries
from postern.contracts.recording.format import OUTPUT
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.kernel import clock

pytestmark = pytest.mark.django_db


class KilledError(BaseException):
    """Simulates the death of the process: nothing after this point runs."""


def later(**delta: float) -> Any:
    return mock.patch.object(clock, "now", return_value=clock.now() + timedelta(**delta))


class TestTheIndex:
    def test_deletion_leaves_no_gram(self, replay_folder: Path, index: Callable[[], int]) -> None:
        for number in range(3):
            recorded(replay_folder, "".join(f"needle 中文 {number} {n}\r\n" for n in range(900)))
        index()
        assert RecordingPiece.objects.count() > 30
        assert grams() > 1_000
        Session.objects.first().delete()  # type: ignore[union-attr]
        assert RecordingIndex.objects.count() == 2
        Recording.objects.all().delete()
        Session.objects.all().delete()
        assert (RecordingPiece.objects.count(), grams()) == (0, 0)

    def test_retention_deletes_the_index(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient
    ) -> None:
        recorded(replay_folder, "needle old\r\n", started=clock.now() - timedelta(days=201))
        recorded(replay_folder, "needle new\r\n")
        index()
        assert len(lines(as_auditor, "needle")) == 2
        assert retention.forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder)) == 1
        assert lines(as_auditor, "needle") == ["needle new"]
        Session.objects.all().delete()
        assert grams() == 0

    def test_while_retention_deletes_nothing_is_found(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sessions = [
            recorded(replay_folder, f"needle {n}\r\n", started=clock.now() - timedelta(days=201)) for n in range(5)
        ]
        assert index() == 5
        page = queries.find

        def withdrawn_meanwhile(*arguments: Any) -> queries.Page:
            answer = page(*arguments)
            search.withdraw(sessions[0].pk)
            return answer

        monkeypatch.setattr(queries, "find", withdrawn_meanwhile)
        assert len(lines(as_auditor, "needle")) == 4
        monkeypatch.undo()
        assert index() == 0, "no worker begins again before the deletion"
        monkeypatch.setattr(retention, "_IN_ONE_TRANSACTION", 2)
        forget, batches = retention._forget_rows, []

        def counted(actor: Any, over: dict[Any, Any], chosen_by: Any) -> Any:
            assert not RecordingPiece.objects.filter(index__in=over).exists()
            batches.append(len(over))
            return forget(actor, over, chosen_by)

        monkeypatch.setattr(retention, "_forget_rows", counted)
        assert retention.forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder)) == 5
        assert batches == [2, 2, 1]
        assert (lines(as_auditor, "needle"), grams()) == ([], 0)

    def test_a_killed_worker_leaves_nothing_that_is_seen(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        recorded(replay_folder, "".join(f"needle {n}\r\n" for n in range(3_000)))
        add, calls = search.add, []

        def dies(*arguments: Any) -> None:
            calls.append(1)
            if len(calls) == 4:
                raise KilledError
            add(*arguments)

        monkeypatch.setattr(search, "add", dies)
        with pytest.raises(KilledError):
            index()
        assert RecordingPiece.objects.count() > 0
        assert (lines(as_auditor, "needle"), found(as_auditor, "needle")["waiting"]) == ([], 1)
        monkeypatch.undo()
        assert index() == 0, "the lease of the killed worker lasts"
        with later(minutes=11):
            assert indexing.index_due(local=LocalFolder(replay_folder), limit_s=60) == 1
        assert len(lines(as_auditor, "needle 2999")) == 1
        assert RecordingPiece.objects.count() == 47

    def test_a_worker_that_stood_still_stops(
        self, replay_folder: Path, index: Callable[[], int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session = recorded(replay_folder, "".join(f"needle {n}\r\n" for n in range(3_000)))
        add = search.add

        def slow(row: RecordingIndex, *arguments: Any) -> None:
            RecordingIndex.objects.filter(pk=session.pk).update(date_due=clock.now())
            add(row, *arguments)

        monkeypatch.setattr(search, "add", slow)
        assert index() == 0
        assert RecordingPiece.objects.count() == 0

    def test_what_cannot_be_read_is_tried_five_times(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient
    ) -> None:
        rubbish = recorded(replay_folder, "needle\r\n")
        recorded(replay_folder, "needle fine\r\n")
        (replay_folder / Recording.objects.get(pk=rubbish.pk).path).write_bytes(b"rubbish" * 99)
        assert index() == 1
        assert found(as_auditor, "needle")["failed"] == 1
        for number in range(1, 9):
            with later(days=number):
                indexing.index_due(local=LocalFolder(replay_folder), limit_s=60)
        assert RecordingIndex.objects.get(pk=rubbish.pk).tries == 5
        answer = found(as_auditor, "needle")
        assert (answer["waiting"], answer["failed"]) == (0, 1)
        assert [hit["line"] for hit in answer["results"]] == ["needle fine"]
        of_other = found(as_auditor, "needle", session_id=answer["results"][0]["session"]["id"])
        assert (of_other["waiting"], of_other["failed"]) == (0, 0)

    def test_what_a_storage_does_not_give_is_tried_without_end(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient
    ) -> None:
        session = recorded(replay_folder, "needle\r\n")
        path = replay_folder / Recording.objects.get(pk=session.pk).path
        path.rename(path.with_suffix(".away"))
        pauses = []
        for number in range(8):
            with later(days=number):
                assert index() == 0
                row = RecordingIndex.objects.get()
                pauses.append(round((row.date_due - clock.now()).total_seconds() / 60))
        assert (row.tries, row.reason["code"]) == (0, "recording.source_missing")
        assert pauses == [1, 4, 16, 64, 256, 360, 360, 360]
        assert found(as_auditor, "needle")["failed"] == 1
        path.with_suffix(".away").rename(path)
        with later(days=9):
            assert index() == 1
        assert lines(as_auditor, "needle") == ["needle"]

    def test_a_session_that_goes_on_waits(self, replay_folder: Path, index: Callable[[], int]) -> None:
        session = recorded(replay_folder, "needle\r\n")
        Session.objects.filter(pk=session.pk).update(state="active", end_reason="", date_end=None)
        assert index() == 0
        assert RecordingIndex.objects.get().tries == 0

    def test_an_upload_is_indexed(self, replayed: Session, index: Callable[[], int], as_auditor: APIClient) -> None:
        Session.objects.filter(pk=replayed.pk).update(state="ended", end_reason="user_closed", date_end=clock.now())
        assert index() == 1
        assert any("backup.tar.gz" in line for line in lines(as_auditor, "BACKUP.tar"))

    def test_the_switch(self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient) -> None:
        recorded(replay_folder, "needle\r\n")
        index()
        PreferenceValue.objects.update_or_create(name="TERMINAL_SEARCH_RECORDINGS", defaults={"value": False})
        answer = as_auditor.get(HITS, {"text": "needle"})
        assert (answer.status_code, answer.json()["code"]) == (400, "search_off")
        index()
        assert (RecordingPiece.objects.count(), grams()) == (0, 0)
        recorded(replay_folder, "needle later\r\n")
        index()
        assert RecordingPiece.objects.count() == 0
        PreferenceValue.objects.filter(name="TERMINAL_SEARCH_RECORDINGS").update(value=True)
        assert index() == 2
        assert sorted(lines(as_auditor, "needle")) == ["needle", "needle later"]

    def test_a_damaged_piece_is_deleted_and_not_found(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient
    ) -> None:
        session = recorded(replay_folder, "needle\r\n")
        index()
        RecordingPiece.objects.update(lines=b"rubbish")
        assert lines(as_auditor, "needle") == []
        session.delete()
        assert RecordingPiece.objects.count() == 0


def test_a_broken_block_is_noted(replay_folder: Path, index: Callable[[], int], as_auditor: APIClient) -> None:
    session = recorded(
        replay_folder,
        [(0, OUTPUT, b"needle one\r\n"), (9, OUTPUT, b"needle two\r\n"), (20, OUTPUT, b"needle three\r\n")],
        form={"cut_after": (0, 1)},
    )
    recording = Recording.objects.get(pk=session.pk)
    path = replay_folder / recording.path
    content = bytearray(path.read_bytes())
    content[content.index(b"BLK1", content.index(b"BLK1") + 4) + 60] ^= 0xFF
    recording.delete()
    store(replay_folder, session, bytes(content))
    assert index() == 1
    assert RecordingIndex.objects.get(pk=session.pk).is_whole is False
    answer = found(as_auditor, "needle one")
    assert answer["incomplete"] == 1
    assert [hit["session"]["is_whole"] for hit in answer["results"]] == [False]


def test_too_many_commands_are_noted(
    replay_folder: Path, index: Callable[[], int], as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "_MOST_OTHERS", 2)
    recorded(replay_folder, "text\r\n", commands=[(n, f"needle {n}") for n in range(2)])
    index()
    assert found(as_auditor, "needle")["incomplete"] == 0
    recorded(replay_folder, "text\r\n", commands=[(n, f"needle {n}") for n in range(3)])
    index()
    assert found(as_auditor, "needle")["incomplete"] == 1
    assert len(lines(as_auditor, "needle")) == 4


def test_impossible_times_are_no_fault(replay_folder: Path, index: Callable[[], int], as_auditor: APIClient) -> None:
    session = recorded(
        replay_folder,
        [(2**63 + 9, OUTPUT, b"needle late\r\n")],
        commands=[(0, "needle command")],
    )
    session.commands.update(offset_ms=2**53)
    assert index() == 1
    RecordingIndex.objects.update(date_recorded=datetime(9999, 12, 31, 23, tzinfo=UTC))
    assert len(lines(as_auditor, "needle")) == 2
