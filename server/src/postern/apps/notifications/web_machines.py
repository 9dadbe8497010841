"""Machines that run only web processes report their load themselves, so that the worker elsewhere can tell of it.

A machine with a worker or a proxy of the same data folder is measured by that. The rows are few and short-lived.
"""

import logging
import os
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import DatabaseError, connections

from postern.apps.notifications.models import WebMachine
from postern.foundation.machine import machine_load
from postern.foundation.machine.machine_load import MachineLoad
from postern.foundation.parts import part_board
from postern.kernel import clock

log = logging.getLogger(__name__)

_PAUSE_S: Final = 30.0
#: Another process of this machine has reported.
_RECENT: Final = timedelta(seconds=20)
#: A machine that has not reported for longer is offline.
SILENT: Final = timedelta(seconds=90)
#: A machine that has not reported for longer does not belong to Postern any more.
_GONE: Final = timedelta(days=1)
_MEASURED_BY: Final = frozenset({"worker", "proxy"})

_started = threading.Lock()


def start() -> None:
    """Start the reporting thread (daemon) of this process. Further calls do nothing."""
    if _started.acquire(blocking=False):
        threading.Thread(target=_report_for_ever, name="web machine", daemon=True).start()


def _report_for_ever() -> None:
    while True:
        try:
            report()
        except DatabaseError:  # the health page reports the database
            log.debug("the load of this machine could not be stored", exc_info=True)
        finally:
            connections.close_all()
        time.sleep(_PAUSE_S)


def report() -> bool:
    """Store the load of this machine, unless something else measures it. Returns whether it was stored."""
    if _MEASURED_BY & part_board.read(part_board.path(settings.POSTERN), os.environ).keys():
        return False
    load = machine_load.measure(settings.POSTERN.home)
    if load is None:
        return False
    now = clock.now()
    row = WebMachine.objects.filter(pk=load.name).first()
    if row is not None and row.date_reported > now - _RECENT:
        return False
    WebMachine.objects.update_or_create(
        name=load.name,
        defaults={
            "cpu_load": load.cpu_load,
            "memory_used": load.memory_used,
            "disk_used": load.disk_used,
            "date_reported": now,
        },
    )
    return True


def loads(now: datetime) -> Iterator[tuple[MachineLoad, bool]]:
    """The last load of each machine, and whether it still reports. Forgets machines that are gone."""
    for row in WebMachine.objects.order_by("name"):
        if row.date_reported < now - _GONE:
            row.delete()
            continue
        load = MachineLoad(row.name, row.cpu_load, row.memory_used, row.disk_used)
        yield load, row.date_reported >= now - SILENT
