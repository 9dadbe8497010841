"""The listening sockets of the web part."""

import errno
import socket
from typing import Final

from postern.foundation.configuration.environ import Address
from postern.kernel.errors import SettingsError

_BACKLOG: Final = 2048


def require_free(address: Address) -> None:
    """Check that the address can be used, before anything is started. Raises SettingsError.

    Another program that answers there would otherwise be taken for the web part that was just started.
    """
    for listener in listen(address):
        listener.close()


def listen(address: Address) -> list[socket.socket]:
    """A listening socket for each address of the host name.

    An address that is in use or not local is a wrong setting, since a restart would not help. Raises SettingsError.
    """
    try:
        entries = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise SettingsError(f"cannot listen on POSTERN_HTTP {address}: {error.strerror or error}") from error
    listeners: list[socket.socket] = []
    for family, kind, protocol, _name, place in dict.fromkeys(entries):
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind(place)
            listener.listen(_BACKLOG)
            listener.setblocking(False)
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRNOTAVAIL and len(entries) > 1:  # `localhost` without IPv6
                continue
            raise SettingsError(f"cannot listen on POSTERN_HTTP {address}: {error.strerror or error}") from error
        listeners.append(listener)
    if not listeners:
        raise SettingsError(f"cannot listen on POSTERN_HTTP {address}: no such address here")
    return listeners
