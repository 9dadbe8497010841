"""`settings/about/`: the installation, without secrets."""

from dataclasses import replace
from typing import Any

import pytest
from rest_framework.test import APIClient

import postern
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
