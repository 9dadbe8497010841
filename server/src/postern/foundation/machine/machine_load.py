"""The load of this machine."""

import logging
import socket
from dataclasses import dataclass
from pathlib import Path

import psutil

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MachineLoad:
    """`cpu_load`: the load average of one minute; memory and disk in percent. `name`: the host name."""

    name: str
    cpu_load: float
    memory_used: float
    disk_used: float


def measure(volume: Path) -> MachineLoad | None:
    """The load of this machine, and of the volume of this folder; None if it cannot be measured now."""
    try:
        return MachineLoad(
            name=socket.gethostname(),
            cpu_load=psutil.getloadavg()[0],
            memory_used=psutil.virtual_memory().percent,
            disk_used=psutil.disk_usage(str(volume)).percent,
        )
    except (OSError, psutil.Error) as error:
        log.warning("cannot measure the load of this machine: %s", error)
        return None
