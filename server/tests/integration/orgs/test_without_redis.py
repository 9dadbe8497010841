"""The list of organizations while Redis is down: counts that are cached there for a minute are counted again."""

from pathlib import Path

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from peers.redis_server import RedisServer
from postern.apps.orgs import facade

ORGS = "/api/v1/orgs/orgs/"
pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def test_organizations_are_listed_while_redis_is_down(
    as_admin: APIClient, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facade, "_MANY_OBJECTS", 0)  # so that every organization is cached
    redis = RedisServer(tmp_path)
    try:
        options = {"socket_connect_timeout": 2, "socket_timeout": 5}
        settings.CACHES = {
            "default": {
                "BACKEND": "django.core.cache.backends.redis.RedisCache",
                "LOCATION": redis.url,
                "OPTIONS": options,
            }
        }
        listed = as_admin.get(ORGS)
        assert listed.status_code == 200
        assert facade._kept([f"{facade._STATISTICS_KEY}{row['id']}" for row in listed.json()])
    finally:
        redis.stop()
    without = as_admin.get(ORGS)
    assert (without.status_code, without.json()) == (200, listed.json())
