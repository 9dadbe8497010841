"""`settings/about/`: facts about the installation, without secrets."""

from dataclasses import replace
from typing import Any

import pytest
from rest_framework.test import APIClient

import postern
from postern.apps.preferences.models import PreferenceValue
from postern.kernel.secret import Secret

pytestmark = pytest.mark.django_db

URL = "/api/v1/settings/about/"
SETTINGS = "/api/v1/settings/setting/?category=email"


def test_about_names_versions_parts_and_changed_settings(as_admin: APIClient) -> None:
    as_admin.patch(SETTINGS, {"EMAIL_HOST": "mail.example.test", "EMAIL_HOST_PASSWORD": "correct horse"})
    answer = as_admin.get(URL)
    assert answer.status_code == 200
    about = answer.json()
    assert about["version"] == postern.__version__
    assert about["database"].split()[0] in {"SQLite", "PostgreSQL"}
    assert {part["name"] for part in about["parts"]} >= {"database", "redis", "worker"}
    assert about["settings"] == {"EMAIL_HOST": "mail.example.test"}
    assert "correct horse" not in answer.content.decode()


def test_about_names_fixed_settings_without_their_secrets(as_admin: APIClient, settings: Any) -> None:
    fixed = (("POSTERN_SET_EMAIL_HOST_PASSWORD", Secret("correct horse")),)
    settings.POSTERN = replace(settings.POSTERN, preferences=fixed, redis_url="redis://:battery@127.0.0.1:1/0")
    answer = as_admin.get(URL)
    assert answer.json()["variables"] == ["POSTERN_SET_EMAIL_HOST_PASSWORD"]
    assert answer.json()["redis"] == ""
    assert "battery" not in answer.content.decode()
    assert "correct horse" not in answer.content.decode()


def test_about_is_only_for_the_system_administrator(as_org_admin: APIClient, as_user: APIClient) -> None:
    assert [client.get(URL).status_code for client in (as_org_admin, as_user)] == [403, 403]


def test_invalid_settings_are_listed_here_and_in_their_form_until_saved(
    as_admin: APIClient,
) -> None:
    PreferenceValue.objects.create(name="SECURITY_MAX_IDLE_TIME", value="soon")
    PreferenceValue.objects.create(name="SECURITY_LOGIN_LIMIT_COUNT", value="5")  # a number as text is valid
    (broken,) = as_admin.get(URL).json()["broken_settings"]
    assert (broken["name"], broken["category"], broken["applies"]) == ("SECURITY_MAX_IDLE_TIME", "security", 30)
    assert broken["title"]
    state = "/api/v1/settings/setting/state/?category=security"
    assert [row["name"] for row in as_admin.get(state).json()["settings"] if row["is_broken"]] == [broken["name"]]
    form = "/api/v1/settings/setting/?category=security"
    assert as_admin.patch(form, {"SECURITY_MAX_IDLE_TIME": 30}).status_code == 200
    assert as_admin.get(URL).json()["broken_settings"] == []
