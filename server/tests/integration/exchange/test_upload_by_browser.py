"""Uploads with a session cookie, as a browser sends them: the CSRF check must not read the file."""

import pytest
from spreadsheets import ASSETS

from factories.browser import PASSWORD, Browser
from postern.apps.users.models import User

pytestmark = pytest.mark.django_db

FILE = b"*Hostname,*IP\nweb-1,203.0.113.1\n"


@pytest.mark.parametrize("content_type", ["text/csv", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_file_is_read_with_any_content_type(people: dict[str, User], content_type: str) -> None:
    browser = _signed_in(people["org_admin"])
    answer = browser.generic("POST", f"{ASSETS}render-to-json/", FILE, content_type=content_type)
    assert answer.status_code == 200, answer.content
    assert b"".join(answer.streaming_content).count(b"203.0.113.1") == 1


def test_file_without_a_csrf_token_is_refused(people: dict[str, User]) -> None:
    browser = _signed_in(people["org_admin"])
    answer = browser.generic("POST", f"{ASSETS}render-to-json/", FILE, content_type="text/csv", HTTP_X_CSRFTOKEN="x")
    assert answer.status_code == 403


def _signed_in(person: User) -> Browser:
    person.set_password(PASSWORD)
    person.save()
    browser = Browser()
    assert browser.sign_in(person.username).status_code == 200
    return browser
