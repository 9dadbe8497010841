"""Access to recordings and commands is audited: before the first byte is sent, and with the ranges that were sent."""

import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.signals import request_finished
from django.db import DatabaseError, close_old_connections
from django.test import Client
from live import LiveServer
from rest_framework.test import APIClient

from factories.proxy_client import Proxy
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.credentials.actions.tokens import create_access_key, issue_token
from postern.apps.sessions.models import Session, Viewing
from postern.apps.sessions.viewings import actions as viewing
from postern.apps.sessions.viewings.ranges import MAX_RANGES, joined, size_of
from postern.apps.users.models import User
from postern.contracts import events
from postern.contracts.enums import CommandKind
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

API = "/api/v1/terminal/"


def url(session: Session, tail: str = "") -> str:
    return f"{API}sessions/{session.pk}/replay/{tail}"


def records(*kinds: str) -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(event__in=kinds).order_by("datetime", "sequence"))


def read(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def leave(response: Any) -> None:
    """Close the response as if the client left, and keep the database connection of the test open, as the test client
    does.
    """
    request_finished.disconnect(close_old_connections)
    try:
        response.close()
    finally:
        request_finished.connect(close_old_connections)


def advance_clock(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    now = clock.now() + by
    monkeypatch.setattr(clock, "now", lambda: now)


def end_of_viewing(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The audit record that ends a viewing, written after the viewing was idle for a while."""
    advance_clock(monkeypatch, viewing.IDLE + timedelta(seconds=1))
    assert viewing.close_idle_viewings() == 1
    assert not Viewing.objects.exists()
    return records("replay.fetched")[-1].new or {}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("", "replay.opened"),
        ("content/", "replay.opened"),
        ("cast/", "replay.exported"),
        ("text/", "replay.exported"),
        ("download/", "replay.downloaded"),
    ],
)
def test_each_way_to_a_recording_is_audited_with_user_time_and_address(
    replayed: Session, as_auditor: APIClient, people: dict[str, User], path: str, kind: str
) -> None:
    leave(as_auditor.get(url(replayed, path), REMOTE_ADDR="192.0.2.50"))
    (row,) = records(kind)
    assert (row.actor_id, row.remote_addr) == (people["auditor"].pk, "192.0.2.50")
    assert (row.resource_type, row.resource_id, row.org_id) == ("Session", str(replayed.pk), replayed.org_id)
    assert clock.now() - row.datetime < timedelta(minutes=5)


def test_viewing_is_audited_before_its_first_byte_is_sent(replayed: Session, as_auditor: APIClient) -> None:
    answer = as_auditor.get(url(replayed, "content/"))
    assert [row.event for row in records("replay.opened", "replay.fetched")] == ["replay.opened"]
    assert read(answer)


@pytest.mark.parametrize("path", ["", "content/", "cast/", "text/", "download/"])
def test_no_byte_is_sent_when_the_viewing_cannot_be_audited(
    replayed: Session, as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def broken(**_: Any) -> int:
        raise DatabaseError("the log is full")

    monkeypatch.setattr(audits, "record", broken)
    as_auditor.raise_request_exception = False
    answer = as_auditor.get(url(replayed, path))
    assert answer.status_code >= 500
    assert not answer.streaming
    assert not Viewing.objects.exists()


def test_range_requests_of_one_viewing_make_one_record_with_merged_ranges(
    replayed: Session, as_auditor: APIClient, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_auditor.get(url(replayed))
    for wanted in ("bytes=0-99", "bytes=100-199", "bytes=150-299", "bytes=1000-1009"):
        read(as_auditor.get(url(replayed, "content/"), HTTP_RANGE=wanted))
    (opened,) = records("replay.opened")
    ended = end_of_viewing(monkeypatch)
    assert ended["opened_as"] == opened.sequence
    assert ended["ranges"] == [[0, 299], [1000, 1009]]
    assert (ended["bytes_sent"], ended["size"], ended["whole"]) == (310, len(content), False)
    assert ended["share_percent"] == round(100 * 310 / len(content))
    assert records("replay.fetched")[0].actor_id == opened.actor_id
    assert len(records("replay.opened", "replay.fetched")) == 2


def test_viewing_of_a_whole_recording_is_recorded_as_whole(
    replayed: Session, as_auditor: APIClient, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = len(content) // 2
    read(as_auditor.get(url(replayed, "content/"), HTTP_RANGE=f"bytes={half}-"))
    read(as_auditor.get(url(replayed, "content/"), HTTP_RANGE=f"bytes=0-{half}"))
    ended = end_of_viewing(monkeypatch)
    assert (ended["whole"], ended["share_percent"], ended["ranges"]) == (True, 100, [[0, len(content) - 1]])


def test_aborted_download_is_recorded_with_the_bytes_that_were_sent(
    replayed: Session, as_auditor: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(as_auditor.get(url(replayed, "content/")))  # the client leaves before the first byte
    ended = end_of_viewing(monkeypatch)
    assert (ended["bytes_sent"], ended["whole"]) == (0, False)
    assert ended["ranges_asked"] == [[0, replayed.recording.size - 1]]


@pytest.mark.parametrize("path", ["cast/", "text/", "download/"])
def test_download_is_recorded_as_whole_or_partial_at_its_end(
    replayed: Session, as_auditor: APIClient, path: str
) -> None:
    read(as_auditor.get(url(replayed, path)))
    leave(as_auditor.get(url(replayed, path)))
    whole, broken = (row.new or {} for row in records("replay.fetched"))
    assert (whole["whole"], broken["whole"], broken["bytes_sent"]) == (True, False, 0)
    assert not Viewing.objects.exists()


def test_another_user_or_address_or_a_pause_starts_another_viewing(
    replayed: Session, as_auditor: APIClient, as_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for client, address in ((as_auditor, "192.0.2.1"), (as_admin, "192.0.2.1"), (as_auditor, "192.0.2.2")):
        read(client.get(url(replayed, "content/"), HTTP_RANGE="bytes=0-9", REMOTE_ADDR=address))
    assert len(records("replay.opened")) == 3
    advance_clock(monkeypatch, viewing.IDLE + timedelta(seconds=1))
    read(as_auditor.get(url(replayed, "content/"), HTTP_RANGE="bytes=0-9", REMOTE_ADDR="192.0.2.1"))
    assert (len(records("replay.opened")), len(records("replay.fetched"))) == (4, 1)


def test_viewing_with_an_access_key_or_a_token_names_the_credential(replayed: Session, people: dict[str, User]) -> None:
    admin = people["admin"]
    token = issue_token(actor=SYSTEM, user=admin, remote_addr="192.0.2.9", mfa=True).token.reveal()
    read(Client().get(url(replayed, "content/"), headers={"Authorization": f"Bearer {token}"}))
    (row,) = records("replay.opened")
    credential = (row.new or {})["credential"]
    assert credential.startswith("token:")
    assert token not in str(row.new)
    key = create_access_key(actor=SYSTEM, user=admin).key
    assert str(key.pk) not in credential


def _command(proxy: Proxy, session: Session, text: str = "ls") -> str:
    command_id = uuid4()
    proxy.tell(
        events.CommandSeen(
            id=command_id, session_id=session.pk, at=clock.now(), offset_ms=1, kind=CommandKind.ECHO, input=text
        )
    )
    return str(command_id)


def test_reading_commands_is_audited_once_for_each_search(
    proxy: Proxy, active: Session, as_auditor: APIClient, people: dict[str, User]
) -> None:
    _command(proxy, active, "cat /etc/hosts")
    for offset in (0, 15, 30):
        as_auditor.get(f"{API}commands/", {"session_id": str(active.pk), "limit": "15", "offset": str(offset)})
    as_auditor.get(f"{API}commands/", {"session_id": str(active.pk), "input": "hosts"})
    as_auditor.get(f"{API}commands/", {"command_storage_id": "default", "input": "shadow"})
    of_session, searched, everywhere = records("commands.viewed")
    assert (of_session.resource_id, of_session.actor_id) == (str(active.pk), people["auditor"].pk)
    assert (searched.new or {})["query"] == {"input": "hosts"}
    assert (everywhere.new or {})["query"]["input"] == "shadow"
    assert everywhere.org_id == active.org_id


def test_reading_one_command_is_audited(proxy: Proxy, active: Session, as_auditor: APIClient) -> None:
    command = _command(proxy, active)
    assert as_auditor.get(f"{API}commands/{command}/").status_code == 200
    assert [row.resource_id for row in records("commands.viewed")] == [str(active.pk)]


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param(lambda session_id: {"session_id": f"{session_id},{uuid4()}"}, id="list"),
        pytest.param(lambda session_id: {"session_id": session_id.hex}, id="without dashes"),
        pytest.param(lambda session_id: {"session": f"{{{session_id}}}"}, id="in braces"),
        pytest.param(
            lambda session_id: {"session_id": [str(session_id), ""], "command_storage_id": "default"}, id="twice"
        ),
        pytest.param(
            lambda session_id: {"session_id": f",{session_id}", "command_storage_id": "default"}, id="after a comma"
        ),
    ],
)
def test_reading_commands_is_audited_with_the_session_however_its_id_is_spelled(
    proxy: Proxy, active: Session, as_auditor: APIClient, spelling: Callable[[UUID], dict[str, Any]]
) -> None:
    command = _command(proxy, active)
    assert [row["id"] for row in as_auditor.get(f"{API}commands/", spelling(active.pk)).json()] == [command]
    assert [row.resource_id for row in records("commands.viewed")] == [str(active.pk)]


def test_reading_commands_of_too_many_sessions_at_once_is_refused(as_auditor: APIClient, active: Session) -> None:
    many = ",".join(str(uuid4()) for _ in range(51))
    assert as_auditor.get(f"{API}commands/", {"session_id": many}).status_code == 400


def test_export_of_commands_is_audited(proxy: Proxy, active: Session, as_auditor: APIClient) -> None:
    _command(proxy, active)
    read(as_auditor.get(f"{API}commands/", {"session_id": str(active.pk), "format": "csv"}))
    (row,) = records("command.exported")
    assert (row.new or {})["query"]["session_id"] == str(active.pk)


def test_search_without_a_result_is_not_audited(as_auditor: APIClient, active: Session) -> None:
    as_auditor.get(f"{API}commands/")
    as_auditor.get(f"{API}commands/", {"session_id": str(uuid4())})
    assert records("commands.viewed") == []


def test_ranges_are_merged_and_bounded() -> None:
    ranges: list[list[int]] = []
    for place in range(0, 10_000, 10):
        ranges = joined(ranges, place, place + 1)
    assert len(ranges) == MAX_RANGES
    assert size_of(ranges) >= 2_000
    assert (ranges[0][0], ranges[-1][1]) == (0, 9_991)
    assert joined([[0, 4], [10, 14]], 5, 9) == [[0, 14]]


PART = 4 * 1024 * 1024
SLOW_READERS = 16  # more than the connections of PostgreSQL's pool


@pytest.fixture
def downloads(live: LiveServer, proxy: Proxy, active: Session, people: dict[str, User]) -> Iterator[Callable[[], str]]:
    """A function that starts all slow downloads and returns their bearer token.

    Each client reads the first bytes of the answer and then stops reading.
    """
    big = bytes(12 * 1024 * 1024)
    proxy.seal(active.pk, big)
    for first in range(0, len(big), PART):
        assert proxy.put(active.pk, big[first : first + PART], first, len(big)).status_code == 200
    token = issue_token(actor=SYSTEM, user=people["admin"], remote_addr="", mfa=True).token.reveal()
    opened: list[socket.socket] = []

    def start() -> str:
        for _ in range(SLOW_READERS):
            client = socket.create_connection(("127.0.0.1", live.port), timeout=30)
            opened.append(client)
            request = (
                f"GET {url(active, 'content/')} HTTP/1.1\r\nHost: {live.host}\r\nAuthorization: Bearer {token}\r\n\r\n"
            )
            client.sendall(request.encode())
            assert b"200" in client.recv(64)
        return token

    yield start
    for client in opened:
        client.close()


def test_slow_downloads_hold_no_database_connection(downloads: Callable[[], str], live: LiveServer) -> None:
    token = downloads()
    with socket.create_connection(("127.0.0.1", live.port), timeout=30) as client:
        head = f"Host: {live.host}\r\nAuthorization: Bearer {token}\r\nConnection: close"
        client.sendall(f"GET {API}sessions/?limit=1 HTTP/1.1\r\n{head}\r\n\r\n".encode())
        assert client.recv(64).startswith(b"HTTP/1.1 200")
