"""A pool of web processes in front of a tiny application, as a program: `web_parent.py PORT PROCESSES`.

/pid      the process that answers        /slow     the same after half a second
/exit     the process ends with the status in the query
"""

import asyncio
import logging
import os
import socket
import sys
from typing import Any

from postern.entrypoints.web.pool import Pool
from postern.entrypoints.web.process import WebProcess
from postern.entrypoints.web.serve import listen
from postern.entrypoints.web.table import Row
from postern.foundation.settings import Address


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/exit":
        os._exit(int(scope["query_string"] or b"1"))
    if scope["path"] == "/slow":
        await asyncio.sleep(0.5)
    body = str(os.getpid()).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def work(channel: socket.socket, row: Row) -> int:
    WebProcess(application, channel, row).run()
    return 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    sys.exit(Pool(listen(Address("127.0.0.1", int(sys.argv[1]))), work, wanted=int(sys.argv[2])).run())
