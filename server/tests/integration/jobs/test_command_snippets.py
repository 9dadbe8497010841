"""Saved commands: everybody has their own."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from postern.apps.jobs.command_snippets import models
from postern.apps.users.models import User

SNIPPETS = "/api/v1/ops/command-snippets/"
pytestmark = pytest.mark.django_db


def test_person_saves_changes_and_deletes_commands(as_user: APIClient) -> None:
    made = as_user.post(SNIPPETS, {"name": "disk", "command": "df -h\r\nmount\r\n"}, format="json")
    assert made.status_code == 201, made.content
    assert made.json()["command"] == "df -h\nmount"
    path = f"{SNIPPETS}{made.json()['id']}/"
    assert as_user.patch(path, {"name": "disks"}, format="json").json()["name"] == "disks"
    assert [row["name"] for row in as_user.get(SNIPPETS, {"search": "mount"}).json()] == ["disks"]
    assert as_user.delete(path).status_code == 204
    assert as_user.get(SNIPPETS).json() == []


def test_nobody_sees_those_of_others(
    as_user: APIClient, as_admin: APIClient, make_user: Callable[..., User], client_of: Callable[..., APIClient]
) -> None:
    made = as_user.post(SNIPPETS, {"name": "mine", "command": "true"}, format="json").json()
    for client in (as_admin, client_of(make_user("otto"))):
        assert client.get(SNIPPETS).json() == []
        assert client.get(f"{SNIPPETS}{made['id']}/").status_code == 404
        assert client.patch(f"{SNIPPETS}{made['id']}/", {"name": "x"}, format="json").status_code == 404
        assert client.delete(f"{SNIPPETS}{made['id']}/").status_code == 404


def test_names_are_unique_for_a_person_and_commands_are_not_empty(as_user: APIClient, as_admin: APIClient) -> None:
    assert as_user.post(SNIPPETS, {"name": "a", "command": "true"}, format="json").status_code == 201
    assert as_admin.post(SNIPPETS, {"name": "a", "command": "true"}, format="json").status_code == 201
    second = as_user.post(SNIPPETS, {"name": "a", "command": "false"}, format="json")
    assert (second.status_code, list(second.json())) == (400, ["name"])
    blank = as_user.post(SNIPPETS, {"name": "b", "command": " \r\n"}, format="json")
    assert (blank.status_code, list(blank.json())) == (400, ["command"])


def test_their_number_has_a_limit(as_user: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("postern.apps.jobs.command_snippets.actions.MAX_OF_ONE", 1)
    assert as_user.post(SNIPPETS, {"name": "a", "command": "true"}, format="json").status_code == 201
    refused = as_user.post(SNIPPETS, {"name": "b", "command": "true"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (400, "too_many_snippets")
    assert models.CommandSnippet.objects.count() == 1
