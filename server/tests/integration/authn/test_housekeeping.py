import random
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from postern.apps.authn.models import BearerToken, LoginSession, SignInGuard, UsedSignature
from postern.apps.authn.tasks import forget_old_sign_ins
from postern.apps.users.models import User
from postern.kernel import clock
from postern.kernel.ids import new_token

pytestmark = pytest.mark.django_db


def test_housekeeping_forgets_what_is_over_and_keeps_the_rest(browser: Browser, ann: User):
    browser.sign_in("ann", "wrong")
    browser.sign_in("ann")
    APIClient().post("/api/v1/authentication/auth/", {"username": "ann", "password": PASSWORD})
    UsedSignature.objects.create(signature_hash="a" * 64, date_expired=clock.now() + timedelta(minutes=1))
    tables = (Session, LoginSession, BearerToken, UsedSignature, SignInGuard)
    before = [table.objects.count() for table in tables]
    forget_old_sign_ins()
    assert [table.objects.count() for table in tables] == before
    long_ago = clock.now() - timedelta(days=100)
    Session.objects.update(expire_date=long_ago)
    for table in (LoginSession, BearerToken, UsedSignature):
        table.objects.update(date_expired=long_ago)
    SignInGuard.objects.update(date_last_failure=long_ago)
    forget_old_sign_ins()
    assert [table.objects.count() for table in tables] == [0] * 5


def test_housekeeping_keeps_locks(ann: User):
    now = clock.now()
    SignInGuard.objects.create(
        kind="address",
        key_hash="b" * 64,
        date_last_failure=now - timedelta(days=1),
        date_locked_until=now + timedelta(minutes=5),
    )
    forget_old_sign_ins()
    assert SignInGuard.objects.count() == 1


def test_k5_tokens_do_not_depend_on_the_seeded_generator():
    random.seed(1)
    first = [new_token() for _ in range(3)]
    random.seed(1)
    assert not set(first) & {new_token() for _ in range(3)}
