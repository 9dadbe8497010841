"""The composition root of the access plane: the core, and a front for each protocol (`proxy_settings.fronts_of`).

Parts are started in the order of their dependencies and stopped in reverse. The proxy accepts people as soon as it has
its credential. While the control plane is unavailable later, no new sessions are opened.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Coroutine, Sequence
from typing import Any

import uvloop

from postern.contracts.terminals import Registered
from postern.entrypoints.proxy_core import Core, Ground
from postern.entrypoints.proxy_settings import config_from, fronts_of, within_open_files
from postern.entrypoints.shutdown import PROXY_ENDS_S, StopSignals
from postern.foundation.machine.open_files import raise_open_file_limit
from postern.foundation.machine.private_files import private_folder
from postern.foundation.parts.part_board import SUPERVISOR_PID
from postern.foundation.settings import Settings
from postern.kernel.errors import SettingsError
from postern.proxies.core.control.registration import obtain_credential
from postern.proxies.core.garbage import settle_garbage_collector
from postern.proxies.core.parts.budget import StopBudget
from postern.proxies.core.parts.part import Front
from postern.proxies.core.parts.running import Running

log = logging.getLogger(__name__)


async def run(settings: Settings, open_files: int, fronts: Sequence[Front], signals: StopSignals) -> int:
    """Serve until a stop signal, then drain. Returns an exit status. Raises SettingsError.

    `open_files` is the limit of open files.
    """
    config, fronts = within_open_files(open_files, config_from(settings), fronts)
    private_folder(config.state_dir)
    budget = StopBudget(PROXY_ENDS_S)
    async with Running(budget) as running:
        ground = Ground(settings, config, budget)
        await running.start(*ground.parts())
        credential = await _unless(signals.stopping, obtain_credential(config))
        if credential is None:
            return 0
        core = Core(settings, config, ground, credential, running)
        await running.start(*core.parts(at_once=signals.at_once))
        for front in fronts:
            await running.start(await front.part(core.services))
        settle_garbage_collector()
        unknown = core.heartbeat.unknown
        is_sound = await running.serve(signals.stopping, unknown)
        if unknown.is_set():
            # Not accepted any more, revoked, deleted, or the control plane was reinstalled: the next start registers
            # again.
            log.warning("the control plane does not take this proxy's credential any more; starting again")
        return 0 if is_sound and not unknown.is_set() else 1


async def _unless(stopping: asyncio.Event, work: Coroutine[Any, Any, Registered]) -> Registered | None:
    """The result of `work`, or None when a stop signal arrives first."""
    task, end = asyncio.create_task(work), asyncio.create_task(stopping.wait())
    await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
    end.cancel()
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return None


async def _serve(settings: Settings, open_files: int) -> int:
    signals = StopSignals(supervised=SUPERVISOR_PID in os.environ)
    signals.listen(asyncio.get_running_loop())
    return await run(settings, open_files, fronts_of(settings), signals)


def serve(settings: Settings) -> int:
    """Run the proxy in this process."""
    if sys.platform == "win32":
        raise SettingsError("the proxy needs a Unix system")
    open_files = raise_open_file_limit()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(settings, open_files))
