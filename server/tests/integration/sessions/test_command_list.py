"""The list of the commands of all sessions: filters give what was asked, and say so when they searched a part only."""

from collections.abc import Callable
from datetime import timedelta
from itertools import combinations
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from postern.apps.sessions.models import Command, Session
from postern.foundation.rest import filters
from postern.kernel import clock

COMMANDS = "/api/v1/terminal/commands/"
FIRST_PAGE = {"command_storage_id": "default", "limit": "200", "offset": "0"}
ROOT = {"HTTP_X_JMS_ORG": "00000000-0000-0000-0000-000000000000"}
LINES = ("ls 100%", "ls 100", "echo 'it''s'", "a_b", "aXb", "RM -rf /", "cat 价格.txt", "; --")
#: Commands of the table; the newest has the highest number.
MANY = 160


@pytest.fixture
def rows(active: Session) -> list[Command]:
    """Commands of three people on two assets with two accounts; every tenth is dangerous, and an early one refused."""
    fields = {column.attname: getattr(active, column.attname) for column in Session._meta.concrete_fields}
    other = Session.objects.create(**{**fields, "id": uuid4(), "asset_id": uuid4(), "asset": "db-1"})
    made = [
        Command(
            id=uuid4(),
            session=(session := (active, other)[number % 2]),
            org_id=session.org_id,
            user=("Uma(uma)", "Umar(umar)", "uma2(uma2)")[number % 3],
            asset_id=session.asset_id,
            asset=session.asset,
            system_user=("deploy", "root")[number // 2 % 2],
            input=LINES[number % len(LINES)],
            risk_level=5 if number % 10 == 0 else 0,
            decision="deny" if number == 10 else "",
            at=clock.now() - timedelta(minutes=MANY - number),
        )
        for number in range(MANY)
    ]
    return Command.objects.bulk_create(made)


def asked(client: APIClient, query: dict[str, str], **headers: str) -> dict[str, Any]:
    answer = client.get(COMMANDS, {**FIRST_PAGE, **query}, **headers)  # type: ignore[arg-type] # headers are named HTTP_…
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def conditions(row: Command) -> dict[str, tuple[str, Callable[[Command], bool]]]:
    """Filter → a value that the row has, and whether a command has it."""
    return {
        "user": ("Uma", lambda command: command.user.startswith("Uma")),
        "asset": (row.asset, lambda command: command.asset == row.asset),
        "system_user": ("root", lambda command: command.system_user == "root"),
        "risk_level": ("5", lambda command: command.risk_level == 5),
        "kind": ("echo", lambda command: command.kind == "echo"),
        "input": ("rm", lambda command: "rm" in command.input.lower()),
        "session_id": (str(row.session_id), lambda command: command.session_id == row.session_id),
        "search": ("ls 100", lambda command: "ls" in command.input and "100" in command.input),
    }


@pytest.mark.parametrize("most", [filters.SEARCHED, 40])
def test_any_filters_together_give_the_commands_that_match_all(
    as_admin: APIClient, rows: list[Command], monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Whichever condition leads: with 40, most of them match more than may be read."""
    monkeypatch.setattr(filters, "SEARCHED", most)
    wanted = conditions(rows[0])
    for names in [*combinations(wanted, 1), *combinations(wanted, 2), tuple(wanted)]:
        query = {name: wanted[name][0] for name in names}
        matching = [row for row in reversed(rows) if all(wanted[name][1](row) for name in names)]
        for place in ({}, ROOT):
            body = asked(as_admin, query, **place)
            since = filters.parse_instant(body["searched_from"]) if "searched_from" in body else None
            expected = [str(row.pk) for row in matching if since is None or row.at >= since]
            assert [row["id"] for row in body["results"]] == expected, (query, place)
            assert body["count"] == len(expected)
            if most == filters.SEARCHED and most > MANY:
                assert since is None


def test_what_was_not_searched_is_said_and_a_narrow_filter_reaches_it(
    as_auditor: APIClient, rows: list[Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "SEARCHED", 20)
    Command.objects.filter(pk=rows[3].pk).update(input="needle", user="Rare(rare)")
    assert "searched_from" not in asked(as_auditor, {})
    for query in ({"input": "needle"}, {"search": "needle"}, {"decision": "deny"}):
        body = asked(as_auditor, query)
        assert (body["count"], filters.parse_instant(body["searched_from"])) == (0, rows[MANY - 21].at)
        early = asked(as_auditor, {**query, "date_to": rows[12].at.isoformat()})
        assert (early["count"], "searched_from" in early) == (1, False)
    for query in ({"input": "needle"}, {"search": "needle"}, {"kind": "echo"}):
        body = asked(as_auditor, {**query, "user": "Rar"})
        assert (body["count"], "searched_from" in body) == (1, False)
    assert asked(as_auditor, {"asset": rows[3].asset})["count"] == MANY // 2  # one condition is read to its end


@pytest.mark.usefixtures("rows")
def test_signs_of_a_search_are_themselves(as_auditor: APIClient) -> None:
    each = MANY // len(LINES)
    for text, number in (
        ("%", each),
        ("100%", each),
        ("'", each),
        ("a_b", each),
        ("价格", each),
        (";", each),
        ("--", each),
    ):
        assert asked(as_auditor, {"input": text})["count"] == number, text
        assert asked(as_auditor, {"search": text})["count"] == number, text
    assert asked(as_auditor, {"user": "%"})["count"] == asked(as_auditor, {"user": "uma("})["count"] == 0
    assert asked(as_auditor, {"user": "uma"})["count"] == len(range(2, MANY, 3))
    assert as_auditor.get(COMMANDS, {**FIRST_PAGE, "user": "a\0"}).status_code == 400


def test_many_people_whose_names_begin_so_are_compared_one_by_one(as_auditor: APIClient, rows: list[Command]) -> None:
    for number, row in enumerate(rows[:50]):
        row.user = f"Ann {number:02}(ann{number})"
    Command.objects.bulk_update(rows[:50], ["user"])
    assert asked(as_auditor, {"user": "Ann"})["count"] == 50
    assert asked(as_auditor, {"user": "ann"})["count"] == 0
    assert asked(as_auditor, {"user": "Ann 0"})["count"] == 10


def test_export_holds_the_chosen_or_all_that_match(as_auditor: APIClient, rows: list[Command]) -> None:
    def exported(**query: str) -> str:
        answer: Any = as_auditor.get(COMMANDS, {"command_storage_id": "default", "format": "csv", **query})
        assert answer.status_code == 200
        return b"".join(answer.streaming_content).decode("utf-8-sig")

    assert len(exported().splitlines()) == MANY + 1
    assert len(exported(risk_level="5", user="Uma(").splitlines()) == len(range(0, MANY, 30)) + 1
    chosen = exported(ids=f"{rows[0].pk},{rows[6].pk}")
    assert len(chosen.splitlines()) == 3
    assert "价格.txt" in chosen
