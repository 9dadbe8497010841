"""`postern web`: listen, load the application once, and fork the web processes."""

import gc
import logging
import signal
import socket
from functools import partial
from typing import Final

import uvicorn

from postern.entrypoints.listening import listen
from postern.entrypoints.web.database_room import affordable
from postern.entrypoints.web.options import OPTIONS
from postern.entrypoints.web.pool import Pool
from postern.entrypoints.web.process import Application, WebProcess
from postern.entrypoints.web.table import Row, Table
from postern.entrypoints.web.terminal import Terminal
from postern.foundation.database.connections import limit_pool
from postern.foundation.machine.open_files import raise_open_file_limit
from postern.foundation.settings import Settings

_RELOADING: Final = "postern.entrypoints.web.reloading:application"


def serve(settings: Settings, *, reload: bool = False) -> int:
    """Serve until SIGTERM. Returns an exit status. Raises SettingsError when the address cannot be used."""
    terminal = Terminal()
    signal.signal(signal.SIGHUP, terminal.note_hang_up)  # before the pool runs there are no processes to replace
    logging.getLogger("uvicorn.error").addFilter(without_stack_of_bad_text)
    raise_open_file_limit()
    listeners = listen(settings.http)
    # Loaded after listening, so that an unusable address is reported at once.
    from postern.entrypoints.web.sharing import load_application

    try:
        if reload:  # a single process, for developers
            for listener in listeners:
                listener.close()
            address = settings.http
            uvicorn.run(
                _RELOADING, host=address.host, port=address.port, reload=True, reload_dirs=["server/src"], **OPTIONS
            )
            return 0
        share = affordable(settings)
        limit_pool(share.connections)
        gc.disable()  # until the processes are forked: see `sharing`
        application = load_application()
        work = partial(_serve_connections, application)
        pool = Pool(listeners, work, wanted=share.processes, terminal=terminal)
        _show_on_health_page(pool.table, share.processes)
        return pool.run()
    finally:
        for listener in listeners:
            listener.close()


def _serve_connections(application: Application, channel: socket.socket, row: Row) -> int:
    """Run a web process."""
    from postern.apps.notifications import web_machines
    from postern.apps.sessions.heartbeats import presence
    from postern.entrypoints.web.sharing import tune_collector

    tune_collector()
    presence.start()
    web_machines.start()
    WebProcess(application, channel, row).run()
    return 0


def _show_on_health_page(table: Table, wanted: int) -> None:
    """Register before forking, so that every process can report the number of processes."""
    from postern.foundation.parts import health

    health.count_processes("web", lambda: (table.running, wanted))


def without_stack_of_bad_text(record: logging.LogRecord) -> bool:
    """Logging filter: a client that sends invalid UTF-8 gets the close code 1007, and the log gets a line without stack
    trace.
    """
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
        record.exc_info = None
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
    return True
