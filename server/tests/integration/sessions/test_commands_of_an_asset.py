"""The commands that were run on one asset: found by its id, in its organization, without reading all commands."""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.many_rows import ManyRows
from factories.proxy_client import Proxy
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.sessions.models import Command, Session
from postern.apps.users.models import User
from postern.contracts import events
from postern.contracts.enums import CommandKind
from postern.kernel import clock

COMMANDS = "/api/v1/terminal/commands/?command_storage_id=default"
MANY = 20_000


@pytest.fixture
def elsewhere(proxy: Proxy, active: Session) -> Session:
    """A session of the same organization on another asset, which has the same name.

    The name is that of the first asset: a deleted asset and its successor may share it.
    """
    fields = {column.attname: getattr(active, column.attname) for column in Session._meta.concrete_fields}
    other: Session = Session.objects.create(**{**fields, "id": uuid4(), "asset_id": uuid4()})
    for session, text in ((active, "uptime"), (other, "reboot")):
        proxy.tell(
            events.CommandSeen(
                id=uuid4(), session_id=session.pk, at=clock.now(), offset_ms=0, kind=CommandKind.ECHO, input=text
            )
        )
    return other


def inputs(client: APIClient, query: str, **headers: str) -> list[str]:
    answer = client.get(f"{COMMANDS}&{query}", **headers)  # type: ignore[arg-type] # headers are named HTTP_…
    assert answer.status_code == 200
    return [row["input"] for row in answer.json()]


def test_commands_of_an_asset_are_found_by_its_id(as_auditor: APIClient, active: Session, elsewhere: Session) -> None:
    assert inputs(as_auditor, f"asset_id={active.asset_id}") == ["uptime"]
    assert inputs(as_auditor, f"asset_id={elsewhere.asset_id}") == ["reboot"]
    assert inputs(as_auditor, f"asset={active.asset}") == ["reboot", "uptime"]
    assert inputs(as_auditor, f"asset_id={uuid4()}") == []
    assert as_auditor.get(f"{COMMANDS}&asset_id=web-1").status_code == 400
    assert as_auditor.get(f"/api/v1/terminal/commands/?asset_id={active.asset_id}").status_code == 404  # no storage


@pytest.mark.usefixtures("elsewhere")
def test_commands_of_an_asset_stay_in_its_organization(
    active: Session, make_user: Callable[..., User], client_of: Callable[[User | None], APIClient], as_admin: APIClient
) -> None:
    other = Organization.objects.create(name="Other")
    boss = client_of(make_user("boss", org_role=OrgRole.ADMIN, org_id=other.pk))
    own = {"HTTP_X_JMS_ORG": str(other.pk)}
    assert inputs(boss, f"asset_id={active.asset_id}", **own) == []
    assert inputs(boss, f"asset={active.asset}", **own) == []
    assert inputs(as_admin, f"asset_id={active.asset_id}") == ["uptime"]


@pytest.mark.usefixtures("elsewhere")
def test_existing_commands_get_the_asset_of_their_session(active: Session) -> None:
    migration: Any = import_module("postern.apps.sessions.migrations.0020_asset_of_commands")
    Command.objects.update(asset_id=UUID(int=0))
    migration.copy_from_sessions(apps, None)
    stored = Command.objects.values_list("asset_id", "session__asset_id")
    assert len(stored) == 2
    assert all(asset_id == of_session for asset_id, of_session in stored)


def plans(client: APIClient, query: str) -> list[str]:
    """The plans of the queries of one page that read commands."""
    with CaptureQueriesContext(connection) as asked:
        assert client.get(f"{COMMANDS}&{query}&limit=15&offset=0").status_code == 200
    explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
    found = []
    with connection.cursor() as cursor:
        for statement in [each["sql"] for each in asked.captured_queries if 'FROM "sessions_command"' in each["sql"]]:
            cursor.execute(f"{explain} {statement.replace('%', '%%')}")
            found.append("\n".join(" ".join(map(str, row)) for row in cursor.fetchall()))
    return found


@pytest.mark.parametrize(
    ("query", "index"),
    [("asset_id={asset.asset_id}", "sessions_command_asset_id"), ("asset={asset.asset}", "sessions_command_asset")],
)
def test_commands_of_an_asset_are_read_by_an_index(
    people: dict[str, User], as_auditor: APIClient, query: str, index: str
) -> None:
    ManyRows(people["admin"]).fill(Command, MANY)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE sessions_command")
    asset = Command.objects.order_by("at")[MANY // 2]
    read = plans(as_auditor, query.format(asset=asset))
    assert len(read) == 3  # the number of rows, the keys of the page, the rows of these keys
    for plan in read[:2]:
        assert re.search(rf"\b{index}\b", plan), plan
    for plan in read:
        assert "Seq Scan" not in plan
        assert "SCAN sessions_command" not in plan
