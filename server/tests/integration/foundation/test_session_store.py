"""Browser sessions are saved in the transaction of their view, and only then are they taken for saved."""

from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from factories.browser import PASSWORD, Browser
from postern.apps.users.models import User
from postern.foundation.database.session_store import SessionStore, stored_key

pytestmark = pytest.mark.django_db(transaction=True)


def _writes(queries: CaptureQueriesContext) -> list[str]:
    statements = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in statements if "django_session" in sql and not sql.startswith("SELECT")]


def test_content_that_is_saved_is_not_saved_again() -> None:
    store = SessionStore()
    store["what"] = {"inner": 1}
    store.save()
    with CaptureQueriesContext(connection) as queries:
        store.save()
    assert _writes(queries) == []
    store["what"]["inner"] = 2
    store.save()
    assert SessionStore(store.session_key)["what"] == {"inner": 2}


def test_content_of_a_transaction_that_failed_is_saved_later() -> None:
    store = SessionStore()
    store["what"] = "kept"
    with transaction.atomic():
        store.save()
        transaction.set_rollback(True)
    assert not Session.objects.exists()
    store.create()
    store.save()
    assert SessionStore(store.session_key)["what"] == "kept"


def test_deleted_session_is_not_taken_for_saved() -> None:
    store = SessionStore()
    store["what"] = 1
    store.save()
    store.flush()
    assert not Session.objects.exists()
    store["what"] = 1
    store.save()
    assert Session.objects.get().session_key == stored_key(store.session_key or "")


def test_sign_in_saves_its_session_in_its_own_transaction(make_user: Callable[..., User]) -> None:
    ann = make_user("ann")
    ann.set_password(PASSWORD)
    ann.save()
    browser = Browser()
    browser.get("/api/v1/authentication/sign-in/")
    with CaptureQueriesContext(connection) as queries:
        assert browser.sign_in("ann").status_code == 200
    statements = [query["sql"] for query in queries.captured_queries]
    [place] = [at for at, sql in enumerate(statements) if sql.startswith('INSERT INTO "django_session"')]
    assert [sql for sql in statements[place:] if sql.startswith(("BEGIN", "COMMIT"))] in (["COMMIT"], [])
    assert browser.get("/api/v1/users/profile/").status_code == 200
