"""People with passwords, and a browser for them."""

from collections.abc import Callable
from typing import Any

import pytest

from factories.browser import PASSWORD, Browser
from factories.meetings import meeting, row_locks
from postern.apps.users.models import User

__all__ = ["meeting", "row_locks"]


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.fixture
def make_person(make_user: Callable[..., User]) -> Callable[..., User]:
    """`make_user` with a password."""

    def make(username: str, **more: Any) -> User:
        password = more.pop("password", PASSWORD)
        user = make_user(username, **more)
        user.set_password(password)
        user.save()
        return user

    return make


@pytest.fixture
def ann(make_person: Callable[..., User]) -> User:
    return make_person("ann")


@pytest.fixture
def key(browser: Browser, ann: User) -> dict[str, str]:
    browser.sign_in("ann")
    answer = browser.post("/api/v1/authentication/access-keys/")
    assert answer.status_code == 201
    made: dict[str, str] = answer.json()
    return made
