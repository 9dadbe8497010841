"""Two administrators, each signed in with their own browser, for concurrent writes."""

from collections.abc import Callable
from typing import Any

import pytest

from factories.browser import PASSWORD, Browser
from postern.apps.authn.models import LoginSession
from postern.apps.users.models import User
from postern.kernel import clock


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
def first_admin(make_person: Callable[..., User]) -> Browser:
    return _signed_in(make_person, 1)


@pytest.fixture
def second_admin(make_person: Callable[..., User]) -> Browser:
    return _signed_in(make_person, 2)


def _signed_in(make_person: Callable[..., User], number: int) -> Browser:
    make_person(f"admin-{number}", role="Admin")
    browser = Browser(f"192.0.2.{number}")
    assert browser.sign_in(f"admin-{number}").status_code == 200
    LoginSession.objects.update(date_password_verified=clock.now(), date_mfa_verified=clock.now())
    return browser


def items(rows: list[Any], **values: Any) -> list[dict[str, Any]]:
    """A bulk update that changes all rows in the same way."""
    return [{"id": str(row.pk), **values} for row in rows]


def ids(rows: list[Any]) -> str:
    return ",".join(str(row.pk) for row in rows)
