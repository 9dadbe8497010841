"""Passwords are hashed before the transaction that stores them, because SQLite has one writer and hashing is slow."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.hashers import check_password
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from postern.apps.users.credentials.actions import passwords
from postern.apps.users.models import User
from writes.hashing import hashes_noted

pytestmark = pytest.mark.django_db

USERS = "/api/v1/users/users/"
NEW = "emerald harbour twenty"


def person(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name.title(),
        "username": name,
        "email": f"{name}@example.test",
        "password_strategy": "custom",
        "password": NEW,
        **more,
    }


@pytest.fixture
def ann(make_user: Callable[..., User]) -> User:
    user = make_user("ann")
    user.set_password(PASSWORD)
    user.save()
    return user


def expect_hashes_outside(call: Callable[[], Any], status: int) -> None:
    with hashes_noted() as noted:
        answer = call()
    assert answer.status_code == status, answer.content
    assert noted, "nothing was hashed: the call tests nothing"
    assert not any(noted)


def test_creating_users_hashes_outside_the_transaction(as_admin: APIClient):
    expect_hashes_outside(lambda: as_admin.post(USERS, person("bea"), format="json"), 201)
    many = [person("cleo"), person("dora")]
    expect_hashes_outside(lambda: as_admin.post(USERS, many, format="json"), 201)
    assert all(check_password(NEW, user.password) for user in User.objects.filter(username__in=["bea", "cleo", "dora"]))


def test_changing_users_hashes_outside_the_transaction(ann: User, as_admin: APIClient):
    url = f"{USERS}{ann.pk}/"
    expect_hashes_outside(lambda: as_admin.patch(url, {"password": NEW}, format="json"), 200)
    body = [{"id": str(ann.pk), "password": "violet anchor eighteen"}]
    expect_hashes_outside(lambda: as_admin.patch(USERS, body, format="json"), 200)
    expect_hashes_outside(lambda: as_admin.put(f"{url}password/", {"password": "copper meadow nineteen"}), 200)
    ann.refresh_from_db()
    assert check_password("copper meadow nineteen", ann.password)


def test_own_password_and_link_hash_outside_the_transaction(ann: User, as_admin: APIClient):
    browser = Browser()
    expect_hashes_outside(lambda: browser.sign_in("ann"), 200)
    body = {"old_password": PASSWORD, "new_password": NEW, "new_password_again": NEW}
    expect_hashes_outside(lambda: browser.put("/api/v1/users/profile/password/", body), 200)
    link = as_admin.patch(f"{USERS}{ann.pk}/password/reset/").json()["set_password_link"]["url"].partition("#")[2]
    body = {"token": link, "new_password": "violet anchor eighteen"}
    expect_hashes_outside(lambda: browser.post("/api/v1/authentication/set-password/", body), 200)


def test_refused_password_in_an_array_is_reported_at_its_position(as_admin: APIClient):
    answer = as_admin.post(USERS, [person("bea"), person("cleo", password="short")], format="json")
    assert answer.status_code == 400
    assert [sorted(fault) for fault in answer.json()] == [[], ["password"]]
    assert not User.objects.filter(username="bea").exists()


def test_password_checked_before_another_password_change_is_not_stored(
    ann: User, as_admin: APIClient, monkeypatch: Any
):
    """Somebody else sets a password between the check against former passwords and the write."""
    prepare = passwords.prepare

    def prepare_slowly(user: User, password: str, **more: Any) -> passwords.NewPassword:
        new = prepare(user, password, **more)
        User.objects.filter(pk=user.pk).update(password="!another one")
        return new

    monkeypatch.setattr(passwords, "prepare", prepare_slowly)
    answer = as_admin.put(f"{USERS}{ann.pk}/password/", {"password": NEW})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert User.objects.get(pk=ann.pk).password == "!another one"


def test_password_rules_are_checked_again_with_the_user_at_the_time_of_the_write(
    ann: User, as_admin: APIClient, monkeypatch: Any
):
    prepare = passwords.prepare

    def prepare_slowly(user: User, password: str, **more: Any) -> passwords.NewPassword:
        new = prepare(user, password, **more)
        User.objects.filter(pk=user.pk).update(name=password)
        return new

    monkeypatch.setattr(passwords, "prepare", prepare_slowly)
    answer = as_admin.put(f"{USERS}{ann.pk}/password/", {"password": NEW})
    assert (answer.status_code, sorted(answer.json())) == (400, ["password"])
    assert check_password(PASSWORD, User.objects.get(pk=ann.pk).password)
