"""Settings whose rows were edited in the database, or written by another version."""

import json
import logging
from collections.abc import Callable

import pytest
from django.contrib.auth.hashers import make_password
from django.db import connection
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from postern.apps.preferences import facade, queries, usable
from postern.apps.preferences.models import PreferenceValue
from postern.apps.preferences.registry import REGISTRY
from postern.apps.users.models import User
from postern.kernel import clock

pytestmark = pytest.mark.django_db
URL = "/api/v1/settings/setting/"
RUBBISH = ("abc", None, -1, 10**12, 1.5, [], ["x"], {}, True, "", "\u0000")


@pytest.fixture(autouse=True)
def fresh() -> None:
    usable._usable.cache_clear()


def put(name: str, value: object) -> None:
    PreferenceValue.objects.update_or_create(name=name, defaults={"value": value})
    queries.forget()


@pytest.mark.parametrize("value", RUBBISH, ids=[json.dumps(value) for value in RUBBISH])
def test_invalid_stored_values_prevent_neither_sign_in_nor_forms(
    make_user: Callable[..., User], as_admin: APIClient, value: object
) -> None:
    if value == "\u0000" and connection.vendor == "postgresql":
        pytest.skip("PostgreSQL stores no such character")
    ann = make_user("ann")
    User.objects.filter(pk=ann.pk).update(password=make_password(PASSWORD), date_password_last_updated=clock.now())
    for name, setting in REGISTRY.items():
        if not setting.is_secret and name != "SECURITY_SIGN_IN_WAYS":  # without a way, `postern user ways` helps
            put(name, value)
    signed_in = Browser().sign_in("ann")
    assert signed_in.status_code == 200, signed_in.content
    assert as_admin.get("/api/v1/settings/public/").status_code == 200
    assert as_admin.get(f"{URL}?category=all").status_code == 200


def test_invalid_value_is_logged_and_can_be_replaced(as_admin: APIClient, caplog: pytest.LogCaptureFixture) -> None:
    put("SECURITY_LOGIN_LIMIT_COUNT", "many")
    with caplog.at_level(logging.WARNING):
        assert facade.get_int("SECURITY_LOGIN_LIMIT_COUNT") == 7
    assert "'many' of SECURITY_LOGIN_LIMIT_COUNT" in caplog.text
    answer = as_admin.patch(f"{URL}?category=security", {"SECURITY_LOGIN_LIMIT_COUNT": 7}, format="json")
    assert answer.status_code == 200
    assert PreferenceValue.objects.get(name="SECURITY_LOGIN_LIMIT_COUNT").value == 7


def test_unambiguous_values_are_converted() -> None:
    for name, value, expected in (
        ("SECURITY_MFA_AUTH", "2", 2),
        ("AUTH_SSO", 1, True),
        ("SECURITY_LOGIN_LIMIT_COUNT", "9", 9),
        ("EMAIL_PORT", 25, "25"),
    ):
        put(name, value)
        assert (queries.value(name), type(queries.value(name))) == (expected, type(expected))


def test_invalid_security_settings_apply_the_stricter_value() -> None:
    put("SECURITY_MFA_AUTH", "all")
    put("SECURITY_SSH_KEY_PIN", "sure")
    assert (queries.value("SECURITY_MFA_AUTH"), queries.value("SECURITY_SSH_KEY_PIN")) == (1, True)
