"""Secrets in commands are hidden wherever commands are read or told; administrators see one command whole, on record."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import BearerToken
from postern.apps.sessions.commands import actions
from postern.apps.sessions.models import Command, Session
from postern.apps.users.models import User
from postern.kernel import clock
from postern.kernel.secret_patterns import HIDDEN

COMMANDS = "/api/v1/terminal/commands/"
SECRET = "canary-hunter2"


@pytest.fixture
def command(active: Session) -> Command:
    return Command.objects.create(
        id=uuid4(), session=active, org_id=active.org_id, user=active.user, asset_id=active.asset_id, asset=active.asset,
        system_user=active.system_user, at=clock.now(), input=f"mysql -u root -p{SECRET} shop",
        output=f"connected\nDB_PASSWORD={SECRET}",
    )  # fmt: skip


@pytest.fixture
def verified(people: dict[str, User]) -> Callable[[str], APIClient]:
    """A client of this person, shortly after they entered a code of their second factor."""

    def client_of(name: str) -> APIClient:
        client = APIClient()
        client.force_authenticate(people[name], token=BearerToken(date_mfa_verified=timezone.now()))
        return client

    return client_of


def whole(client: APIClient, command: Command) -> Any:
    return client.get(f"{COMMANDS}{command.pk}/whole/")


@pytest.mark.parametrize(
    "path",
    [
        f"{COMMANDS}?command_storage_id=default",
        f"{COMMANDS}?command_storage_id=default&format=csv",
        f"{COMMANDS}export/?command_storage_id=default",
        f"{COMMANDS}{{pk}}/",
    ],
)
def test_every_reading_of_commands_hides_secrets(as_auditor: APIClient, command: Command, path: str) -> None:
    answer = as_auditor.get(path.format(pk=command.pk))
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert answer.status_code == 200
    assert SECRET not in content.decode()
    assert f"-p{HIDDEN} shop" in content.decode()
    assert f"DB_PASSWORD={HIDDEN}" in content.decode()


def test_only_commands_with_something_hidden_say_so(as_auditor: APIClient, command: Command) -> None:
    query = {"command_storage_id": "default"}
    assert [row["has_secrets"] for row in as_auditor.get(COMMANDS, query).json()] == [True]
    Command.objects.update(input="ls", output="a b")
    assert [row["has_secrets"] for row in as_auditor.get(COMMANDS, query).json()] == [False]


def test_administrator_sees_one_command_whole_after_a_fresh_code_and_on_record(
    as_org_admin: APIClient, verified: Callable[[str], APIClient], people: dict[str, User], command: Command
) -> None:
    refused = whole(as_org_admin, command)
    assert (refused.status_code, refused.json()["code"]) == (400, "mfa_verify_required")
    assert SECRET not in refused.content.decode()
    answer = whole(verified("org_admin"), command)
    assert answer.status_code == 200
    assert (answer.json()["input"], answer.json()["output"]) == (command.input, command.output)
    look = AuditEvent.objects.get(event="commands.viewed", actor_id=people["org_admin"].pk)
    assert look.resource_id == str(command.session_id)
    assert look.new is not None
    assert look.new["query"] == {"whole": str(command.pk)}


def test_auditors_and_administrators_of_other_organizations_see_no_secret(
    verified: Callable[[str], APIClient], people: dict[str, User], command: Command
) -> None:
    assert whole(verified("auditor"), command).status_code == 403
    foreign = Command.objects.filter(pk=command.pk)
    foreign.update(org_id=uuid4())
    assert whole(verified("org_admin"), command).status_code == 404


def test_audit_log_and_messages_tell_no_secret(command: Command) -> None:
    command.decision = "deny"
    actions._tell_of_refused([command])
    refused = AuditEvent.objects.get(event="command.refused")
    assert SECRET not in str(refused.new)
    assert HIDDEN in str(refused.new)
