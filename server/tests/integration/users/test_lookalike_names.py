"""A username that looks like that of another account is refused wherever accounts come from, with the reason."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import translation
from rest_framework.test import APIClient

from postern.apps.authn.federation import arrivals as federation
from postern.apps.authn.federation.errors import NoUser
from postern.apps.authn.models import OpenidProvider
from postern.apps.directory.importing import import_people
from postern.apps.directory.models import DirectoryEntry
from postern.apps.users.facade import PersonInput, create_user, update_user
from postern.apps.users.models import Source, User, username_key
from postern.apps.users.people.actions.registering import register_service_account
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import ROOT, OrgScope
from postern.kernel.errors import PosternError
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

USERS = "/api/v1/users/users/"
SCOPE = OrgScope(DEFAULT_ORG_ID)
#: All letters are Cyrillic.
APE = "аре"


@pytest.fixture(autouse=True)
def english(request: pytest.FixtureRequest) -> Iterator[None]:
    if "as_admin" in request.fixturenames:
        request.getfixturevalue("as_admin").credentials(HTTP_ACCEPT_LANGUAGE="en")
    with translation.override("en"):
        yield


def person(username: str, **fields: Any) -> dict[str, Any]:
    return {
        "name": "Somebody",
        "username": username,
        "email": f"{username.encode().hex()}@example.test",
        "password_strategy": "custom",
        "password": "violet anchor seventeen",
        **fields,
    }


@pytest.mark.parametrize(
    ("username", "words"),
    [("аdmin", "mixes letters of different scripts (Cyrillic, Latin)"), (APE, "looks like"), ("ａｐｅ", "unique")],
    ids=["mixed", "whole", "full-width"],
)
def test_new_and_renamed_users(as_admin: APIClient, make_user: Callable[..., User], username: str, words: str) -> None:
    make_user("ape")
    answer = as_admin.post(USERS, person(username))
    assert answer.status_code == 400
    assert words in answer.json()["username"][0]
    zoe = make_user("zoe")
    answer = as_admin.patch(f"{USERS}{zoe.pk}/", {"username": username})
    assert answer.status_code == 400
    assert words in answer.json()["username"][0]
    zoe.refresh_from_db()
    assert (zoe.username, zoe.username_skeleton) == ("zoe", "zoe")


def test_ascii_name_that_looks_like_an_existing_one_of_another_script(
    as_admin: APIClient, make_user: Callable[..., User]
) -> None:
    make_user(APE)
    assert "looks like" in as_admin.post(USERS, person("ape")).json()["username"][0]
    assert as_admin.post(USERS, person("wang1")).status_code == 201
    assert as_admin.post(USERS, person("wangl")).status_code == 201


def test_user_may_be_renamed_to_the_name_that_theirs_looked_like(make_user: Callable[..., User]) -> None:
    user = make_user(APE)
    update_user(actor=SYSTEM, scope=ROOT, user=user, person=PersonInput(columns={"username": "ape"}))
    assert User.objects.get(pk=user.pk).username == "ape"


def test_user_whose_name_was_there_before_the_rule_can_still_be_changed(make_user: Callable[..., User]) -> None:
    user = make_user(APE)
    User.objects.filter(pk=user.pk).update(username_skeleton=None)
    make_user("ape")
    update_user(actor=SYSTEM, scope=ROOT, user=user, person=PersonInput(columns={"name": "New"}))
    assert User.objects.get(pk=user.pk).name == "New"


def test_two_lines_of_one_import(as_admin: APIClient) -> None:
    answer = as_admin.post(USERS, [person("ape"), person(APE)], format="json")
    assert answer.status_code == 400
    assert "looks like" in answer.json()[1]["username"][0]
    assert not User.objects.filter(username="ape").exists()


def test_programs_that_register_themselves(make_user: Callable[..., User]) -> None:
    make_user("ape")
    with pytest.raises(PosternError, match="looks like"):
        register_service_account(actor=SYSTEM, name=APE)


def test_people_of_a_directory_are_left_out_with_the_reason(make_user: Callable[..., User]) -> None:
    make_user("ape")
    for number, name in enumerate((APE, "bеn", "carl")):
        DirectoryEntry.objects.create(
            uid=f"u{number}",
            digest="d",
            dn=f"uid={name}",
            username=name,
            username_key=username_key(name),
            name=name,
            email=f"{number}@x.test",
        )
    result = import_people(actor=SYSTEM, scope=SCOPE, usernames=[APE, "bеn", "carl"])
    assert result.created == 1
    assert "looks like" in result.refused[APE]
    assert "Cyrillic, Latin" in result.refused["bеn"]


def test_people_of_a_provider_are_refused_with_the_reason(make_user: Callable[..., User]) -> None:
    make_user("ape")
    provider = OpenidProvider(name="Corp", slug="corp", creates_users=True)
    data = federation.ProviderData(username=APE, name="x", email="x@example.test", held=())
    with pytest.raises(NoUser, match="looks like"):
        federation.admit(provider, Source.OPENID, "https://issuer", "1", data)
    assert not User.objects.filter(username=APE).exists()


def test_users_of_the_api_and_of_actions_are_checked_alike(make_user: Callable[..., User]) -> None:
    make_user("ape")
    with pytest.raises(PosternError, match="looks like"):
        create_user(actor=SYSTEM, scope=SCOPE, person=PersonInput(columns={"username": APE, "source": "ldap"}))
