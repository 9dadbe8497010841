"""A user whose name and username fill their columns does everything that others do."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.grants import make_asset
from postern.apps.assets import facade as assets
from postern.apps.assets.models import Domain, HostKey
from postern.apps.users.models import User
from postern.contracts.enums import HostKeyVerdict
from postern.foundation.caller.actor import Actor, ActorKind

pytestmark = pytest.mark.django_db
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKtZ1yXb5m1bYF2Vt7s9sM3k3o0X1cWw0m5a0oP7sT3e"


@pytest.fixture
def long_named(people: dict[str, User]) -> User:
    user = people["org_admin"]
    user.name, user.username = "界" * 128, "a" * 128
    user.save()
    return user


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("assets/domains/", {"name": "edge"}),
        ("assets/labels/", {"name": "site", "value": "north"}),
        ("assets/nodes/", {"value": "servers"}),
        ("assets/cmd-filters/", {"name": "careful"}),
        ("assets/system-users/", {"name": "deploy", "username": "deploy", "protocol": "ssh"}),
        ("ops/tasks/", {"name": "nightly"}),
    ],
)
def test_objects_are_created_under_a_name_that_is_longer_than_their_column(
    path: str, body: dict[str, Any], long_named: User, as_org_admin: APIClient
) -> None:
    answer = as_org_admin.post(f"/api/v1/{path}", body, format="json")
    assert answer.status_code == 201, answer.content


def test_what_is_stored_of_a_creator_is_the_beginning(long_named: User, as_org_admin: APIClient) -> None:
    as_org_admin.post("/api/v1/assets/domains/", {"name": "edge"}, format="json")
    assert Domain.objects.get(name="edge").created_by == long_named.name


def test_first_key_of_a_host_is_pinned_by_a_user_with_a_long_name(long_named: User) -> None:
    asset = make_asset()
    actor = Actor(
        kind=ActorKind.USER, user_id=long_named.pk, username=long_named.username, name=long_named.name, bits=0
    )  # fmt: skip
    answer = assets.check_host_key(actor=actor, asset_id=asset.pk, host="192.0.2.1", port=22, via="", public_key=KEY)
    assert answer.verdict is HostKeyVerdict.PINNED
    assert HostKey.objects.get(asset=asset).created_by == long_named.name
