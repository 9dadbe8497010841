"""Facts about this installation, for its operator and for support. They contain no secrets."""

import platform
import shutil
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypedDict

import django
from django.conf import settings
from django.db import connection
from redis import Redis
from redis.exceptions import RedisError

import postern
from postern.apps.preferences import queries
from postern.apps.preferences.declarations.preference import Value
from postern.apps.preferences.environment import fixed_values
from postern.apps.preferences.registry import REGISTRY
from postern.foundation.parts import health
from postern.foundation.provided import Provided
from postern.kernel import clock

_MB = 1 << 20
#: State of syslog: whether the audit log is sent, and the lag of the receiver. An app of a higher layer provides it.
SYSLOG: Final = Provided[Callable[[], dict[str, Any]]]("the state of syslog")


class PartFacts(TypedDict):
    """One service and its last check. `ms`: duration of the check. Numbers of processes can be null."""

    name: str
    ok: bool
    ms: float
    running: int | None
    wanted: int | None
    since: datetime | None


class BrokenSetting(TypedDict):
    """A setting whose stored value is invalid. `category`: its form; "" if no form has it. `applies`: the value in use."""

    name: str
    title: str
    category: str
    applies: Value


class Facts(TypedDict):
    """The installation. `settings`: the values that differ from their defaults, without secrets. `free_mb`: disk space."""

    version: str
    api_level: str
    time: datetime
    python: str
    django: str
    system: str
    database: str
    redis: str
    time_zone: str
    language: str
    web_processes: int
    secret_store: str
    free_mb: int
    parts: list[PartFacts]
    settings: dict[str, Value]
    broken_settings: list[BrokenSetting]
    variables: list[str]
    syslog: dict[str, Any]


def facts() -> Facts:
    """The facts at this instant."""
    installation = settings.POSTERN
    return Facts(
        version=postern.__version__,
        api_level=postern.API_LEVEL,
        time=clock.now(),
        python=platform.python_version(),
        django=django.get_version(),
        system=platform.platform(),
        database=_database(),
        redis=_redis(),
        time_zone=installation.time_zone,
        language=installation.language,
        web_processes=installation.web_processes,
        secret_store=installation.secret_store.value,
        free_mb=shutil.disk_usage(installation.home).free // _MB,
        parts=_parts(),
        settings=_settings(),
        broken_settings=_broken_settings(),
        variables=sorted(REGISTRY[name].variable for name in fixed_values()),
        syslog=SYSLOG.value(),
    )


def _parts() -> list[PartFacts]:
    return [
        PartFacts(
            name=name,
            ok=part.ok,
            ms=part.ms,
            running=part.running,
            wanted=part.wanted,
            since=health.running_since(name),
        )
        for name, part in sorted(health.examine().items())
    ]


def _settings() -> dict[str, Value]:
    open_names = [setting.name for setting in REGISTRY.values() if not setting.is_secret]
    return {name: value for name, value in queries.values(open_names).items() if value != REGISTRY[name].unset()}


def _broken_settings() -> list[BrokenSetting]:
    return [
        BrokenSetting(
            name=name,
            title=str(REGISTRY[name].label),
            category=str(REGISTRY[name].category or ""),
            applies=queries.value(name),
        )
        for name in sorted(queries.broken(REGISTRY))
    ]


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()" if connection.vendor == "sqlite" else "SHOW server_version")
        version = cursor.fetchone()[0]
    return f"{connection.display_name} {version}"


def _redis() -> str:
    try:
        with Redis.from_url(settings.POSTERN.redis_url, socket_timeout=2, socket_connect_timeout=2) as client:
            return str(client.info("server")["redis_version"])
    except (RedisError, OSError):
        return ""  # the list of services reports that Redis is down
