"""The HTML report of commands: what the filters select, everything escaped, audited, and bounded."""

from html.parser import HTMLParser
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import Command, Session
from postern.foundation.rest import filters
from postern.foundation.rest.exchange import rows as export_rows
from postern.kernel import clock

REPORT = "/api/v1/terminal/commands/export/"
HOSTILE = "</td><script>alert(1)</script><img src=x onerror='x'>\"&\u202e\x1b[31m\x00"


class Cells(HTMLParser):
    """The tags of a page, and the texts of its table's rows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self._is_in_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") or name in {"src", "href"} for name, _value in attrs)
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
            self._is_in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._is_in_cell = self._is_in_cell and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self._is_in_cell:
            self.rows[-1][-1] += data


def add(session: Session, count: int, **more: Any) -> None:
    Command.objects.bulk_create(
        Command(
            id=uuid4(), session=session, org_id=session.org_id, user=session.user, asset_id=session.asset_id,
            asset=session.asset, system_user=session.system_user, at=clock.now(), number=None,
            **{"input": f"echo {number}", "output": "out", **more},
        )
        for number in range(count)
    )  # fmt: skip


def page_of(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def test_report_has_the_selected_commands_and_is_audited(as_auditor: APIClient, active: Session) -> None:
    add(active, 3)
    add(active, 2, input="rm -rf /", risk_level=5)
    answer = as_auditor.get(REPORT, {"session_id": str(active.pk), "risk_level": "5"})
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert answer["Content-Disposition"].startswith('attachment; filename="command_')
    assert answer["Content-Disposition"].endswith('.html"')
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "sandbox" in answer["Content-Security-Policy"]
    content = page_of(answer)
    titles, *rows = Cells(content).rows
    assert len(titles) == len(rows[0]) == 9
    assert [row[1:6] for row in rows] == [[active.user, "web-1", "root of web", "rm -rf /", "out"]] * 2
    assert "risk_level = 5" in content
    event = AuditEvent.objects.get(event="command.exported")
    assert (event.new["rows"], event.new["format"]) == (2, "html")
    assert event.new["query"] == {"session_id": str(active.pk), "risk_level": "5"}


def test_report_escapes_what_hosts_and_people_wrote(as_auditor: APIClient, active: Session) -> None:
    text = HOSTILE.replace("\x00", "")
    add(active, 1, input=text, output=text)
    content = page_of(as_auditor.get(REPORT, {"session_id": str(active.pk), "input": "<script>"}))
    cells = Cells(content)
    assert not cells.tags & {"script", "img", "a", "link", "iframe"}
    shown = "</td><script>alert(1)</script><img src=x onerror='x'>\"&⟨U+202E⟩⟨U+001B⟩[31m"
    assert [row[4:6] for row in cells.rows[1:]] == [[shown, shown]]
    assert "\u202e" not in content


def test_report_needs_a_session_or_a_storage_and_the_right_to_them(
    as_auditor: APIClient, as_user: APIClient, active: Session
) -> None:
    add(active, 1)
    assert as_auditor.get(REPORT).status_code == 404
    assert as_user.get(REPORT, {"session_id": str(active.pk)}).status_code == 403
    assert as_auditor.get(REPORT, {"session_id": str(active.pk), "date_from": "x"}).status_code == 400
    assert len(Cells(page_of(as_auditor.get(REPORT, {"session_id": str(uuid4())}))).rows) == 1
    assert len(Cells(page_of(as_auditor.get(REPORT, {"command_storage_id": "default"}))).rows) == 2


def test_report_searches_all_commands_and_refuses_more_than_a_file_holds(
    as_auditor: APIClient, active: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(active, 1, input="needle")
    add(active, 30)
    monkeypatch.setattr(filters, "SEARCHED", 10)
    monkeypatch.setattr(export_rows, "CHUNK_ROWS", 7)
    query = {"command_storage_id": "default", "limit": "25"}
    assert len(Cells(page_of(as_auditor.get(REPORT, {**query, "input": "needle"}))).rows) == 2
    assert len(Cells(page_of(as_auditor.get(REPORT, query))).rows) == 26
    monkeypatch.setattr(export_rows, "MAX_ROWS", 30)
    answer = as_auditor.get(REPORT, {"command_storage_id": "default"})
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_rows")
