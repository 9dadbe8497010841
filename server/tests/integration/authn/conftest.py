"""Users with passwords, and a browser for them."""

from collections.abc import Callable

import pytest

from factories.browser import Browser
from factories.meetings import meeting, row_locks
from factories.two_administrators import make_person
from postern.apps.users.models import User

__all__ = ["make_person", "meeting", "row_locks"]


@pytest.fixture
def browser() -> Browser:
    return Browser()


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
