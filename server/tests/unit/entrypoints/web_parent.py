"""A pool of web processes for a tiny application, as a program: `web_parent.py PORT PROCESSES [OPTION=VALUE …]`.

/pid      answers with the id of the process
/slow     the same after half a second
/exit     the process ends with the status in the query
/read     the same as /pid, after the whole body has arrived

head_s=N     deadline for the head of a request, in seconds
files=N      limit of open files
waiting=N    maximum number of connections without a request in a process
early=FILE   the first forked process gets SIGTERM before anything else, and FILE is created
"""

import asyncio
import logging
import os
import resource
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from postern.entrypoints.listening import listen
from postern.entrypoints.web.pool import Pool
from postern.entrypoints.web.process import WebProcess
from postern.entrypoints.web.request_head import HeadGuard, WaitingConnections
from postern.entrypoints.web.table import Row
from postern.foundation.configuration.environ import Address


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/exit":
        os._exit(int(scope["query_string"] or b"1"))
    if scope["path"] == "/read":
        while (await receive()).get("more_body"):
            pass
    if scope["path"] == "/slow":
        await asyncio.sleep(0.5)
    body = str(os.getpid()).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def work(channel: socket.socket, row: Row) -> int:
    WebProcess(application, channel, row).run()
    return 0


def terminate_once(note: Path) -> None:
    try:
        note.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    options = dict(option.split("=") for option in sys.argv[3:])
    HeadGuard.head_s = float(options.get("head_s", HeadGuard.head_s))
    if "files" in options:
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(options["files"]), int(options["files"])))
    if "waiting" in options:
        HeadGuard.waiting = WaitingConnections(int(options["waiting"]))
    if "early" in options:
        os.register_at_fork(after_in_child=lambda: terminate_once(Path(options["early"])))
    sys.exit(Pool(listen(Address("127.0.0.1", int(sys.argv[1]))), work, wanted=int(sys.argv[2])).run())
