"""Health of the product's services. The health page answers 200 only if no check of a needed service raises."""

import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.db import connection

from postern.foundation.parts import part_board
from postern.foundation.parts.part_board import PartLife
from postern.foundation.provided import Provided
from postern.kernel import clock
from postern.kernel.errors import Unavailable

logger = logging.getLogger(__name__)

Check = Callable[[], None]

#: The store of secrets outside of Postern. While it is down, sessions that need a secret are refused, and everything else
#: works. A load balancer must not take all web nodes away because of it.
SECRET_STORE: Final = "secret_store"  # noqa: S105 - a name
_NOT_NEEDED: Final = frozenset({SECRET_STORE})

_WORKER_KEY: Final = "health:worker"
_WORKER_SILENT_S: Final = 45
_REDIS_PROBE_KEY: Final = "health:probe"

#: The health checks by service name. A check must return within a second.
CHECKS: Final = Provided[Mapping[str, Check]]("the checks of the parts")
_counts: dict[str, Callable[[], tuple[int, int]]] = {}
#: Whether a service was healthy at the last check. Missing names have not been up yet.
_seen: dict[str, bool] = {}
_starting: set[str] = set()


@dataclass(frozen=True, slots=True)
class PartHealth:
    """Result and duration of one check. Services with several processes also have the number running and wanted."""

    ok: bool
    ms: float
    running: int | None = None
    wanted: int | None = None


def count_processes(name: str, read: Callable[[], tuple[int, int]]) -> None:
    """Register a function that returns how many processes of a service run and how many should.

    The service is healthy while one of them answers: replacing a process is no reason to redirect users elsewhere.
    """
    _counts[name] = read


def examine() -> dict[str, PartHealth]:
    """Run all checks. A service whose process has died is unhealthy, even if its last sign of life is recent."""
    parts = {name: _examine(name, check) for name, check in CHECKS.value.items()}
    supervisor = os.environ.get(part_board.SUPERVISOR_PID, "")
    for name, life in _lives().items():
        if not part_board.lives(life, supervisor):
            parts[name] = PartHealth(ok=False, ms=parts[name].ms if name in parts else 0)
        else:
            parts.setdefault(name, PartHealth(ok=True, ms=0))
    for name, read in _counts.items():
        running, wanted = read()
        parts[name] = replace(parts.get(name, PartHealth(ok=True, ms=0)), running=running, wanted=wanted)
    return parts


def is_healthy(parts: Mapping[str, PartHealth]) -> bool:
    """Whether every service is up without which Postern does not work."""
    return all(part.ok for name, part in parts.items() if name not in _NOT_NEEDED)


def running_since(name: str) -> datetime | None:
    """Start time of the current process of a service; None when no supervisor of ours runs it."""
    life = _lives().get(name)
    return datetime.fromtimestamp(life.since, UTC) if life is not None else None


def _lives() -> dict[str, PartLife]:
    return part_board.read(part_board.path(settings.POSTERN), os.environ)


def _examine(name: str, check: Check) -> PartHealth:
    started = time.perf_counter()
    try:
        check()
    except Exception as error:  # noqa: BLE001 - whatever is wrong, the health page reports the service as down
        _log_failure(name, type(error).__name__)
        return PartHealth(ok=False, ms=_since(started))
    if _seen.get(name) is False:
        logger.info("%s is healthy again", name)
    elif name in _starting:
        logger.info("%s is up", name)
    _starting.discard(name)
    _seen[name] = True
    return PartHealth(ok=True, ms=_since(started))


def _log_failure(name: str, reason: str) -> None:
    """Log a change of state once, not at every check. A service that is still starting is not a warning."""
    if name in _seen:
        if _seen[name]:
            logger.warning("%s is not healthy: %s", name, reason)
        _seen[name] = False
    elif name not in _starting:
        _starting.add(name)
        logger.info("%s is not up yet: %s", name, reason)


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1_000, 1)


def stamp_worker() -> None:
    """Record that the worker is alive. Its schedule calls this."""
    cache.set(_WORKER_KEY, clock.now().timestamp(), _WORKER_SILENT_S)


def _check_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _check_redis() -> None:
    cache.set(_REDIS_PROBE_KEY, "1", 10)
    if cache.get(_REDIS_PROBE_KEY) != "1":
        raise Unavailable("Redis did not return the value that was just stored")


def _check_worker() -> None:
    stamp = cache.get(_WORKER_KEY)
    since = running_since("worker")
    if stamp is None or (since is not None and stamp < since.timestamp()):  # a stamp of the previous worker process
        raise Unavailable("the worker gave no sign of life")


#: The checks of the services that every installation has.
OWN_CHECKS: Final[Mapping[str, Check]] = {"database": _check_database, "redis": _check_redis, "worker": _check_worker}
