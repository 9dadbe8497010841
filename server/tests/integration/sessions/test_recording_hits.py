"""The search inside recordings: what is found, and who finds it."""

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.recorded import recorded
from factories.searched import HITS, found, lines
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.sessions.models import RecordingIndex, RecordingPiece, Session
from postern.apps.sessions.search import candidates, keys, queries
from postern.contracts.recording.format import INPUT, OUTPUT
from postern.contracts.search.lines import LineKind
from postern.foundation.caller.scope import DEFAULT_ORG_ID, ROOT_ORG_ID
from postern.kernel import clock
from postern.kernel.secret_patterns import HIDDEN
from unit.contracts.recording.golden import Step

pytestmark = pytest.mark.django_db

ROOT = {"HTTP_X_JMS_ORG": str(ROOT_ORG_ID)}


class TestWhatIsFound:
    def test_a_hit(self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient) -> None:
        session = recorded(
            replay_folder,
            [(1_000, OUTPUT, "one\r\ntwo\r\n$ cat   Secret-Plan 计划\r\nfour\r\nfive\r\nsix\r\n".encode())],
            commands=[(900, "cat\nSecret-Plan")],
            files=["/srv/secret-plan.txt"],
        )
        assert index() == 1
        answer = found(as_auditor, "cat  secret-PLAN")
        assert answer["next"] is None
        assert (answer["waiting"], answer["failed"], answer["incomplete"]) == (0, 0, 0)
        command, screen = answer["results"]
        assert (command["kind"], command["line"], command["offset_ms"]) == ("command", "cat Secret-Plan", 900)
        assert screen["line"] == "$ cat   Secret-Plan 计划"
        assert screen["matches"] == [[2, 19]]
        assert screen["before"] == ["one", "two"]
        assert screen["after"] == ["four", "five"]
        assert screen["offset_ms"] == 1_000
        assert screen["session"] == {
            "id": str(session.pk),
            "user": "Ann(ann)",
            "user_id": str(session.user_id),
            "asset": "web-01",
            "asset_id": str(session.asset_id),
            "system_user": "root(root)",
            "protocol": "ssh",
            "date_start": screen["session"]["date_start"],
            "org_id": str(session.org_id),
            "org_name": "Default",
            "is_whole": True,
        }
        assert lines(as_auditor, "secret-plan", kind="file") == ["/srv/secret-plan.txt"]
        assert lines(as_auditor, "计划") == ["$ cat   Secret-Plan 计划"]
        assert lines(as_auditor, "划计") == []

    def test_secrets_are_hidden_in_the_line_and_beside_it(
        self, replay_folder: Path, index: Callable[[], int], as_admin: APIClient
    ) -> None:
        far = "x" * 450
        screen = f"$ export DB_PASSWORD=canary-1\r\n$ mysql -pcanary-2 shop\r\nhost\r\n{far}\r\nTOKEN={far}canary-3\r\n"
        recorded(replay_folder, [(1_000, OUTPUT, screen.encode())])
        assert index() == 1
        for text in ("mysql", "host", "canary-2", "shop", "canary-3"):
            hits = found(as_admin, text)["results"]
            assert hits
            assert "canary" not in str(hits), text
        (hit,) = found(as_admin, "shop")["results"]
        (start, end), *_ = hit["matches"]
        assert (hit["line"], hit["line"][start:end]) == (f"$ mysql -p{HIDDEN} shop", "shop")
        assert hit["before"] == [f"$ export DB_PASSWORD={HIDDEN}"]

    def test_planted_needles(self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient) -> None:
        chance = random.Random(4)
        words = ["error", "warning", "service", "started", "录像", "数据", "connection", "refused", "rm -rf", "100%"]
        needles: dict[str, str] = {}
        for number in range(12):
            steps: list[Step] = []
            for at in range(150):
                line = " ".join(chance.choices(words, k=8)) + f" {chance.randrange(10**9)}"
                steps.append((at * 700, OUTPUT, line.encode() + b"\r\n"))
            ascii_needle, chinese = f"NeeDle-{number:02d}x", chr(0x5200 + number * 2) + chr(0x6300 + number * 2)
            wrapped, hidden, quick = f"wrapped_{number:02d}w", f"alternate_{number:02d}a", f"quick_{number:02d}q"
            steps.insert(40, (28_000, OUTPUT, f"text {ascii_needle} text\r\n".encode()))
            steps.insert(60, (42_000, OUTPUT, f"中文{chinese}文字\r\n".encode()))
            steps.insert(80, (56_000, OUTPUT, ("x" * 75 + wrapped + "\r\n").encode()))
            flood = "\r\n".join([f"line {n}" if n != 300 else quick for n in range(600)])
            steps.insert(100, (69_000, OUTPUT, flood.encode() + b"\r\n"))
            steps.append((110_000, OUTPUT, f"\x1b[?1049h\x1b[5;5H{hidden}".encode()))
            steps.append((114_000, OUTPUT, b"\x1b[?1049l"))
            session = recorded(replay_folder, steps)
            needles |= dict.fromkeys((ascii_needle, chinese, wrapped, hidden, quick), str(session.pk))
        assert index() == 12
        hits = {needle: found(as_auditor, needle.swapcase())["results"] for needle in needles}
        assert {needle: [hit["session"]["id"] for hit in of] for needle, of in hits.items()} == {
            needle: [session_id] for needle, session_id in needles.items()
        }
        for needle, (hit,) in hits.items():
            (start, end), *_ = hit["matches"]
            assert hit["line"][start:end].lower() == needle.lower()

    @pytest.mark.parametrize(
        "text", ["100%", 'it\'s "q"', "(a+)+$", "a_c", "\\d", "NOT a OR", "x*", "ab", "--", "é1", "אב", "😀y"]
    )
    def test_the_text_itself(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient, text: str
    ) -> None:
        recorded(replay_folder, f"before {text} after\r\nacc not or 100 d\r\n")
        index()
        assert lines(as_auditor, f" {text} ") == [f"before {text} after"]

    def test_what_a_user_sends_is_not_found(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient
    ) -> None:
        recorded(
            replay_folder, [(0, OUTPUT, b"Password: "), (9, INPUT, b"hunter22\r"), (20, OUTPUT, b"\r\nok then\r\n")]
        )
        index()
        assert lines(as_auditor, "hunter22") == []
        assert lines(as_auditor, "ok then") == ["ok then"]

    def test_secrets_that_cross_a_cut(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient
    ) -> None:
        key = "needlecanary" * 15
        for filling in (3_500, 3_800, 3_900, 3_990):
            for text in (f"password={key * 3}", f"psql postgres://app:{key}@db/x"):
                recorded(replay_folder, "z " * (filling // 2) + f"{text} after\r\n")
        body = "\r\n".join("needlecanary" * 5 for _ in range(90))
        recorded(replay_folder, f"-----BEGIN RSA PRIVATE KEY-----\r\n{body}\r\nneedlecanary==\r\n-----END\r\n")
        index()
        hits = found(as_auditor, "needlecanary", limit=100)["results"]
        assert len(hits) > 8
        assert "canary" not in str([hit["before"] + [hit["line"]] + hit["after"] for hit in hits])

    def test_long_lines(self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient) -> None:
        recorded(replay_folder, "a" * 3_950 + "needle" * 20 + "b" * 3_000 + "\r\n")
        index()
        hits = found(as_auditor, "needle")["results"]
        assert [len(hit["line"]) for hit in hits] == [400, 400], "the parts of a line that was cut"
        assert sum(len(hit["matches"]) for hit in hits) == 20
        assert all(hit["line"][start:end] == "needle" for hit in hits for start, end in hit["matches"])


class TestPages:
    def test_newest_session_first_without_gaps_or_repeats(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = clock.now()
        for age in (3, 1, 2):
            text = "\r\n".join(f"needle {age} {n:03d}" for n in range(150))
            recorded(replay_folder, text + "\r\n", started=now - timedelta(days=age))
        index()
        expected = [f"needle {age} {n:03d}" for age in (1, 2, 3) for n in range(150)]
        for most in (400, 2):
            monkeypatch.setattr(queries, "_MOST_EXAMINED", most)
            for few in (1_000, 0):
                monkeypatch.setattr(candidates, "_FEW", few)
                for text in ("needle", "ne"):
                    seen: list[str] = []
                    cursor: str | None = ""
                    while cursor is not None:
                        answer = found(as_auditor, text, limit=70, cursor=cursor)
                        seen += [hit["line"] for hit in answer["results"]]
                        cursor = answer["next"]
                    assert seen == expected

    def test_filters(self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient) -> None:
        now = clock.now()
        old = recorded(replay_folder, "needle old\r\n", started=now - timedelta(days=9))
        new = recorded(replay_folder, "needle new\r\n", started=now - timedelta(days=1))
        index()
        assert lines(as_auditor, "needle") == ["needle new", "needle old"]
        assert lines(as_auditor, "needle", user_id=old.user_id) == ["needle old"]
        assert lines(as_auditor, "needle", asset_id=new.asset_id) == ["needle new"]
        assert lines(as_auditor, "needle", session_id=old.pk) == ["needle old"]
        assert lines(as_auditor, "needle", session_id=uuid4()) == []
        border = (now - timedelta(days=5)).isoformat()
        assert lines(as_auditor, "needle", date_from=border) == ["needle new"]
        assert lines(as_auditor, "needle", date_to=border) == ["needle old"]
        assert lines(as_auditor, "needle", kind="command") == []

    @pytest.mark.parametrize(
        ("params", "name"),
        [
            ({}, "text"),
            ({"text": " a "}, "text"),
            ({"text": "a" * 201}, "text"),
            ({"text": f"a{' ' * 5_000}b"}, "text"),
            ({"text": "ab", "date_from": "9" * 400}, "date_from"),
            ({"text": "ab\x00c"}, "text"),
            ({"text": "\u200f\u200f"}, "text"),
            ({"text": "ab", "kind": "Screen"}, "kind"),
            ({"text": "ab", "user_id": "1"}, "user_id"),
            ({"text": "ab", "asset_id": "'"}, "asset_id"),
            ({"text": "ab", "session_id": "x"}, "session_id"),
            ({"text": "ab", "date_from": "yesterday"}, "date_from"),
            ({"text": "ab", "date_to": "9999-99-99"}, "date_to"),
            ({"text": "ab", "limit": "0"}, "limit"),
            ({"text": "ab", "limit": "101"}, "limit"),
            ({"text": "ab", "cursor": "AAAA"}, "cursor"),
            ({"text": "ab", "cursor": "x" * 9_000}, "cursor"),
            ({"text": "ab", "cursor": "\x00"}, "cursor"),
        ],
    )
    def test_bad_input(self, as_auditor: APIClient, params: dict[str, str], name: str) -> None:
        answer = as_auditor.get(HITS, params)
        assert answer.status_code == 400
        assert list(answer.json()) == [name]


class TestRights:
    def test_another_organization_has_no_effect(
        self,
        replay_folder: Path,
        index: Callable[[], int],
        as_auditor: APIClient,
        as_admin: APIClient,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def pages(few: int) -> list[list[str]]:
            monkeypatch.setattr(candidates, "_FEW", few)
            of: list[list[str]] = []
            cursor: str | None = ""
            while cursor is not None:
                answer = found(as_auditor, "needle", limit=2, cursor=cursor)
                assert (answer["waiting"], answer["failed"]) == (0, 0)
                of.append([hit["session"]["id"] for hit in answer["results"]])
                cursor = answer["next"]
            return of

        other = Organization.objects.create(name="Other")
        now = clock.now()
        for number in range(6):
            recorded(replay_folder, "needle ours\r\n", started=now - timedelta(hours=2 * number))
        index()
        monkeypatch.setattr(queries, "_MOST_EXAMINED", 3)
        alone = pages(1_000)
        assert sum(map(len, alone)) == 6
        for number in range(6):
            started = now - timedelta(hours=2 * number + 1)
            hidden = recorded(replay_folder, "needle theirs\r\n", org_id=other.pk, started=started)
        index()
        waiting = recorded(replay_folder, "needle waiting\r\n", org_id=other.pk)
        broken = recorded(replay_folder, "needle broken\r\n", org_id=other.pk)
        RecordingIndex.objects.filter(pk=broken.pk).update(tries=5, reason={"text": "broken"})
        for few in (1_000, 0):
            assert pages(few) == alone
            for session in (hidden, waiting):
                assert found(as_auditor, "needle", session_id=session.pk)["results"] == []
                assert found(as_auditor, "needle", user_id=session.user_id)["results"] == []
        monkeypatch.undo()
        theirs = found(as_admin, "needle", HTTP_X_JMS_ORG=str(other.pk))
        assert [hit["session"]["org_name"] for hit in theirs["results"]] == ["Other"] * 6
        assert (theirs["waiting"], theirs["failed"]) == (1, 1)
        assert len(found(as_admin, "needle", **ROOT)["results"]) == 12

    def test_only_auditors_and_administrators_search(
        self, as_user: APIClient, as_anonymous: APIClient, as_org_admin: APIClient
    ) -> None:
        assert as_user.get(HITS, {"text": "needle"}).status_code == 403
        assert as_anonymous.get(HITS, {"text": "needle"}).status_code == 401
        assert found(as_org_admin, "needle")["results"] == []

    def test_a_search_is_audited(self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient) -> None:
        session = recorded(replay_folder, "needle\r\n")
        index()
        found(as_auditor, "Needle", kind="screen")
        event = AuditEvent.objects.get(event="recordings.searched")
        assert event.org_id == session.org_id
        assert event.new == {"text": "Needle", "filters": {"kind": "screen"}, "hits": 1}


class TestWhatASearchReads:
    """The marks of organizations and of conditions are in the index, so a search reads what it shows."""

    def test_only_pieces_that_are_searched(self, replay_folder: Path, index: Callable[[], int]) -> None:
        other = Organization.objects.create(name="Other")
        now = clock.now()
        ours, theirs = (
            recorded(replay_folder, "needle\r\n", org_id=org_id, started=now - timedelta(days=days))
            for days, org_id in ((5, DEFAULT_ORG_ID), (1, other.pk))
        )
        with_file = recorded(replay_folder, "text\r\n", files=["needle.sql"], started=now - timedelta(days=9))
        index()

        def keys_of(**given: Any) -> list[Any]:
            search = queries.Search(limit=9, **{"sought": "needle", **given})
            within = search.keys()
            assert within is not None
            keys = candidates.next_keys(search.sought, search.marks, within, 9)
            return [RecordingPiece.objects.get(pk=key).index_id for key in keys]

        assert keys_of() == [theirs.pk, ours.pk, with_file.pk]
        assert keys_of(org_id=DEFAULT_ORG_ID) == [ours.pk, with_file.pk]
        assert keys_of(user_id=ours.user_id) == [ours.pk]
        assert keys_of(asset_id=theirs.asset_id) == [theirs.pk]
        assert keys_of(session_id=ours.pk) == [ours.pk]
        assert keys_of(kind=LineKind.FILE) == [with_file.pk]
        assert keys_of(kind=LineKind.FILE, sought="ne") == [with_file.pk]
        assert keys_of(date_from=now - timedelta(days=3)) == [theirs.pk]
        assert keys_of(date_to=now - timedelta(days=3), sought="ne", org_id=DEFAULT_ORG_ID) == [ours.pk, with_file.pk]

    @pytest.mark.skipif(connection.vendor != "sqlite", reason="its planner")
    def test_sessions_are_asked_for_by_their_ids(self) -> None:
        visible = Session.objects.filter(org_id=DEFAULT_ORG_ID)
        search = queries.Search(sought="needle", limit=9, org_id=DEFAULT_ORG_ID)
        plan = queries.usable(visible, search, [1, 2, 3]).explain()
        assert "sessions_org_start" not in plan
        assert "(id=?)" in plan

    def test_counts_are_capped(
        self, replay_folder: Path, as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for _ in range(4):
            recorded(replay_folder, "needle\r\n")
        assert found(as_auditor, "needle")["waiting"] == 4
        monkeypatch.setattr(queries, "MOST_COUNTED", 3)
        assert found(as_auditor, "needle")["waiting"] == 3

    def test_recordings_of_one_moment(
        self, replay_folder: Path, index: Callable[[], int], as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = clock.now()
        for n in range(5):
            recorded(replay_folder, f"needle {n}\r\n", started=now)
        monkeypatch.setattr(keys, "_OF_ONE_MS", 2)  # the others have places of the moments after it
        assert index() == 5
        assert len(lines(as_auditor, "needle", date_from=now.isoformat(), date_to=now.isoformat())) == 5
