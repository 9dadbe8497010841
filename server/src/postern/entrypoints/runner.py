"""`postern runner`: connects to hosts for the jobs of a worker, which starts it and talks to it over a pipe."""

import asyncio
import logging
from typing import Final

from postern.entrypoints.dialing import control_url_of, dial_policy_of
from postern.foundation.settings import Settings
from postern.proxies.core.confinement import confine
from postern.proxies.core.limits import Limits
from postern.proxies.gateways.dialer import Dialer
from postern.proxies.runner.host_task import WinrmOpener
from postern.proxies.runner.pipe import WorkerPipe
from postern.proxies.runner.runner import Runner

log = logging.getLogger(__name__)

_IDLE_S: Final = 60.0
_MEMORY_BYTES: Final = 1024 * 1024 * 1024


def serve(settings: Settings) -> int:
    """Run until the worker is gone, or nothing was to do for a minute."""
    log.info("confined: %s", ", ".join(confine(_MEMORY_BYTES, is_in_background=False)))
    asyncio.run(_serve(settings))
    return 0


async def _serve(settings: Settings) -> None:
    policy = dial_policy_of(settings, control_url_of(settings), tuple)
    # Without the fast data path to gateways: its test costs more than the few answers of a host.
    dialer = Dialer(Limits(), policy, fast=False)
    await Runner(await WorkerPipe.open_standard(), dialer, _load_winrm, idle_s=_IDLE_S).run()


def _load_winrm() -> WinrmOpener:
    """Most runners meet no host with WinRM, so they do without the memory for it."""
    from postern.proxies.runner.winrm.host import open_winrm

    return open_winrm
