"""`postern monitor`: Flower on a Unix socket, for the web part, which starts it when somebody opens the task monitor.

It ends after some minutes without use, and when the web process that started it ends (its standard input is closed). A
second one ends at once, so all web processes use the same. It knows Redis, and neither the database nor any key.

It only shows: Flower's `read_only` refuses whatever would change workers or tasks, and the web part passes on nothing of
the kind either.
"""

import fcntl
import logging
import os
import sys
import threading
from contextlib import suppress
from typing import IO, Any, Final

# Flower reads variables of its own, and one of them opens its API to strangers.
for _name in [name for name in os.environ if name.startswith("FLOWER_")]:
    del os.environ[_name]

from celery import Celery
from flower.app import Flower
from flower.command import extract_settings
from flower.urls import settings as flower_settings
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop, PeriodicCallback
from tornado.netutil import bind_unix_socket
from tornado.options import options

from postern.apps.jobs.task_monitor.places import IS_PAGE, PREFIX, Places
from postern.entrypoints.broker import broker_url
from postern.foundation.machine.private_files import private_folder
from postern.foundation.settings import Settings
from postern.kernel.clock import monotonic_s

log = logging.getLogger(__name__)

#: A page refreshes itself. That counts as use for so long after somebody has opened a page.
_WATCHED_S: Final = 3600.0
_LOOK_S: Final = 1.0
#: Tasks that are remembered: some kilobytes each.
_TASKS: Final = 5_000
_WORKERS: Final = 500


class Monitor(Flower):  # type: ignore[misc]  # Flower ships no types
    """Flower that knows when it was used last."""

    def __init__(self, *, idle_s: float, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._idle_s = idle_s
        self._opened_at = self._used_at = monotonic_s()
        self.look = PeriodicCallback(self._end_when_idle, _LOOK_S * 1000)

    def log_request(self, handler: Any) -> None:
        """Called at the end of each request. Nothing is logged: the audit log says who opened the monitor."""
        now = monotonic_s()
        if handler.request.headers.get(IS_PAGE):
            self._opened_at = now
        if now - self._opened_at < _WATCHED_S:
            self._used_at = now

    def _end_when_idle(self) -> None:
        if monotonic_s() - self._used_at > self._idle_s:
            log.info("nobody uses the task monitor: it ends")
            self.stop()


def serve(settings: Settings, *, idle_s: float) -> int:
    """Run until nobody uses it any more."""
    private_folder(settings.run_dir)
    places = Places.of(settings)
    lock = _only_one(places)
    if lock is None:
        log.debug("the task monitor runs already")
        return 0
    options.url_prefix = PREFIX
    options.read_only = True
    options.max_tasks = _TASKS
    options.max_workers = _WORKERS
    extract_settings()
    monitor = Monitor(idle_s=idle_s, capp=_celery(settings), options=options, **flower_settings)
    server = HTTPServer(monitor)
    places.socket.unlink(missing_ok=True)
    server.add_socket(bind_unix_socket(str(places.socket), mode=0o600))
    monitor.look.start()
    monitor.io_loop.add_callback(monitor.events.on_enable_events)  # Flower itself asks after five seconds first
    _end_with_input(monitor)
    try:
        monitor.start()
    except KeyboardInterrupt:
        pass
    finally:
        places.socket.unlink(missing_ok=True)
        lock.close()
        with suppress(Exception):  # Redis may be gone; the workers notice by themselves
            monitor.capp.control.disable_events()
    # The thread that waits for events never ends by itself.
    sys.stdout.flush()
    os._exit(0)


def _celery(settings: Settings) -> Celery:
    """Only what is needed to hear of workers and to ask them."""
    app = Celery("postern", broker=broker_url(settings), set_as_current=True)
    app.conf.update(
        result_backend=None,
        accept_content=["json"],
        task_serializer="json",
        broker_connection_retry_on_startup=True,
        timezone="UTC",
        enable_utc=True,
    )
    return app


def _only_one(places: Places) -> IO[str] | None:
    """The lock, with the process id for whoever must end a monitor that hangs. None: another one runs."""
    lock = places.lock.open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _end_with_input(monitor: Monitor) -> None:
    """End when the web process that started this monitor is gone."""
    loop: IOLoop = monitor.io_loop

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1024):
                pass
        loop.add_callback(monitor.stop)

    threading.Thread(target=wait, name="waits for the end of the web process", daemon=True).start()
