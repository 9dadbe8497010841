"""The sockets on which the web plane reaches the endpoints of this folder."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

#: Prefix of a Unix socket's address.
UNIX: Final = "unix:"
_SOCKET_MODE: Final = 0o600


@contextlib.contextmanager
def private_socket(address: str) -> Iterator[str]:
    """Yield the path of a Unix socket (`unix:/path`) that is to be made in the block, for this user only.

    Its folder is made, and the socket of a dead proxy is removed. Raises OSError.
    """
    path = address.removeprefix(UNIX)
    socket = Path(path)
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    socket.unlink(missing_ok=True)
    mask = os.umask(0o777 & ~_SOCKET_MODE)
    try:
        yield path
    finally:
        os.umask(mask)
