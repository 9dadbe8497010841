"""A program with the bootstrap token registers a service account, which can do nothing until it is activated."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from factories.signed_request import PROFILE, signed
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import AccessKey
from postern.apps.preferences.actions import change_settings
from postern.apps.sessions.terminals import registration
from postern.apps.users.models import Kind, Membership, User
from postern.apps.users.people.actions.registering import MAX_WAITING
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

URL = "/api/v1/users/service-account-registrations/"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nobody_has_tried() -> None:
    cache.clear()


def register(name: object = "backup", *, token: str | None = None) -> Any:
    shown = token or registration.bootstrap_token().reveal()
    client = APIClient(HTTP_AUTHORIZATION=f"BootstrapToken {shown}", HTTP_ACCEPT_LANGUAGE="en")
    return client.post(URL, {"name": name}, format="json")


@pytest.mark.spec("S7-033")
def test_registered_account_waits_without_any_right(
    as_admin: APIClient, client_of: Callable[[User | None], APIClient]
) -> None:
    answer = register()
    assert answer.status_code == 201, answer.content
    body = answer.json()
    assert set(body) == {"id", "name", "access_key"}
    assert set(body["access_key"]) == {"id", "secret", "is_active", "date_created"}
    user = User.objects.get(pk=body["id"])
    assert (user.username, user.kind, user.role, user.is_active) == ("backup", Kind.SERVICE, "User", False)
    assert (user.email, user.created_by) == ("backup@serviceaccount.local", "bootstrap token")
    assert not Membership.objects.filter(user=user).exists()
    key = body["access_key"]
    assert APIClient().get(PROFILE, **signed(key["id"], key["secret"])).status_code == 401
    root = {"HTTP_X_JMS_ORG": "00000000-0000-0000-0000-000000000000"}
    answer = as_admin.patch(f"/api/v1/users/users/{user.pk}/", {"is_active": True}, format="json", **root)
    assert answer.status_code == 200, answer.content
    head = signed(key["id"], key["secret"], at=clock.now() + timedelta(seconds=1))
    assert APIClient().get(PROFILE, **head).json()["username"] == "backup"
    path = "/api/v1/users/users/"
    head = signed(key["id"], key["secret"], path)
    assert APIClient().get(path, **head).status_code == 403
    del client_of


def test_it_is_recorded_without_the_secret() -> None:
    secret = register().json()["access_key"]["secret"]
    events = {row.event: row for row in AuditEvent.objects.filter(user="bootstrap token")}
    assert set(events) == {"user.created", "accesskey.created"}
    assert events["user.created"].new["kind"] == "service"
    assert not any(secret in str(row.new) for row in events.values())


@pytest.mark.parametrize("name", ["", "two words", "x" * 129, "a;b", "admin", None])
def test_bad_names_are_refused(people: dict[str, User], name: object) -> None:
    before = User.objects.count()
    answer = register(name)
    assert (answer.status_code, set(answer.json())) == (400, {"name"}), answer.content
    assert User.objects.count() == before
    assert not AccessKey.objects.exists()
    del people


def test_taken_name_is_refused(people: dict[str, User]) -> None:
    for name in (people["user"].username, people["user"].username.upper()):
        assert register(name).status_code == 400
    assert register().status_code == 201
    assert register("BACKUP").status_code == 400
    assert AccessKey.objects.count() == 1


def test_wrong_token_and_the_local_proof_are_refused() -> None:
    assert register(token="wrong").status_code == 401
    client = APIClient(HTTP_AUTHORIZATION="LocalProxy x.y.z")
    assert client.post(URL, {"name": "backup"}, format="json").status_code == 401
    assert not User.objects.filter(kind=Kind.SERVICE).exists()


def test_wrong_tokens_are_limited() -> None:
    codes = [register(token="wrong").status_code for _ in range(registration.LIMIT_OF_ADDRESS + 1)]
    assert codes[-1] == 429


def test_setting_switches_it_off() -> None:
    change_settings(actor=SYSTEM, changes={"SECURITY_SERVICE_ACCOUNT_REGISTRATION": False})
    answer = register()
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    assert not User.objects.filter(kind=Kind.SERVICE).exists()


def test_few_wait_at_the_same_time(as_admin: APIClient) -> None:
    made = [register(f"backup-{number}") for number in range(MAX_WAITING)]
    assert {answer.status_code for answer in made} == {201}
    assert register("one-more").status_code == 400
    User.objects.filter(pk=made[0].json()["id"]).update(is_active=True)
    assert register("one-more").status_code == 201
    del as_admin
