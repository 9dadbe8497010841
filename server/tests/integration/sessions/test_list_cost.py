"""The cost of a list, and of a recheck of live sessions, does not depend on the number of rows."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.lists import counted_steps
from factories.many_rows import ManyRows
from factories.proxy_client import Proxy, World
from postern.apps.sessions.models import Session
from postern.apps.sessions.sessions.actions import revocation
from postern.apps.users.models import User
from postern.contracts import events
from postern.contracts.enums import CommandKind, EndReason, TransferDirection
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID


def fill(proxy: Proxy, world: World, count: int) -> str:
    """Create `count` sessions, each with a command and a transfer; returns the id of the last session."""
    session_id = uuid4()
    for _ in range(count):
        grant = proxy.authorize(world.user, "web-1").grant
        assert grant is not None
        session_id = grant.session_id
        now = clock.now()
        proxy.tell(
            events.SessionStarted(session_id=session_id, at=now, kind="shell", recording=True),
            events.CommandSeen(
                id=uuid4(), session_id=session_id, at=now, offset_ms=1, kind=CommandKind.ECHO, input="ls"
            ),
            events.FileTransferred(
                id=uuid4(),
                session_id=session_id,
                at=now,
                direction=TransferDirection.UPLOAD,
                operation="upload",
                path="/x",
            ),
            events.ForwardOpened(
                id=uuid4(), session_id=session_id, at=now, asked="localhost:8080", opened="127.0.0.1:8080"
            ),
        )
    return str(session_id)


@pytest.mark.parametrize(
    "path",
    [
        "terminal/sessions/?limit=50",
        "terminal/commands/?command_storage_id=default&limit=50",
        "audits/ftp-logs/?limit=50",
        "audits/forwarded-connections/?limit=50",
        "terminal/terminals/?limit=50",
    ],
)
def test_list_takes_no_query_for_each_row(proxy: Proxy, world: World, as_admin: APIClient, path: str) -> None:
    fill(proxy, world, 1)
    as_admin.get(f"/api/v1/{path}")
    with CaptureQueriesContext(connection) as few:
        assert as_admin.get(f"/api/v1/{path}").status_code == 200
    fill(proxy, world, 8)
    with CaptureQueriesContext(connection) as many:
        assert as_admin.get(f"/api/v1/{path}").status_code == 200
    assert len(many) == len(few), [query["sql"] for query in many.captured_queries]
    assert len(many) <= 12


def test_metadata_of_sessions_has_filters_choices_and_labels(proxy: Proxy, as_auditor: APIClient) -> None:
    fields = as_auditor.options("/api/v1/terminal/sessions/").json()["actions"]["GET"]
    for name in ("user", "asset", "system_user", "remote_addr", "protocol", "login_from", "is_finished", "terminal"):
        assert fields[name].get("filter") is True, name
    assert {choice["value"] for choice in fields["login_from"]["choices"]} == {"ST", "RT", "WT"}
    assert {choice["value"] for choice in fields["end_reason"]["choices"]} == set(EndReason)
    assert all(field["read_only"] for field in fields.values())
    assert fields["date_start"]["type"] == "datetime"
    assert "POST" not in as_auditor.options("/api/v1/terminal/sessions/").json()["actions"]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts the instructions of SQLite")
def test_recheck_does_not_read_the_sessions_that_have_ended(people: dict[str, User]) -> None:
    def steps() -> int:
        with counted_steps() as counted:
            revocation.recheck_changed(actor=SYSTEM, org_ids={DEFAULT_ORG_ID}, user_ids=())
        return counted.count

    ended = ManyRows(people["admin"])
    ended.fill(Session, 20)
    few = steps()
    ended.fill(Session, 2_000)
    assert steps() <= few + 100
