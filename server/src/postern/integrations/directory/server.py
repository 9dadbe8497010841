"""A directory server and the account that reads there."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final
from urllib.parse import urlsplit

from postern.kernel.dialing import plain
from postern.kernel.secret import Secret

_PORTS: Final = {"ldap": 389, "ldaps": 636}
_HOST: Final = re.compile(r"[A-Za-z0-9_.:%-]+")


class Encryption(Enum):
    """How the connection is encrypted. Nothing falls back to less than was chosen."""

    #: `ldaps://`: TLS from the first byte, usually on port 636.
    TLS = "tls"
    #: `ldap://` with StartTLS, usually on port 389.
    STARTTLS = "starttls"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class DirectoryServer:
    """`bind_dn` and `password` belong to the account that searches; both empty: anonymous.

    `authorities`: PEM of the authorities that may issue the server's certificate; empty: those of this machine.
    """

    host: str
    port: int
    encryption: Encryption
    bind_dn: str = ""
    password: Secret | None = None
    authorities: str = ""


def address_in(uri: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of `ldap://host[:port]` or `ldaps://host[:port]`; None for anything else."""
    try:
        parts = urlsplit(uri.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not _HOST.fullmatch(host) or parts.username is not None:
        return None
    if parts.path not in {"", "/"} or parts.query or parts.fragment or port == 0:
        return None
    return scheme, host, port or _PORTS[scheme]


def is_loopback(address: str) -> bool:
    """Whether bytes to this address never leave the machine."""
    found = plain(address)
    return found is not None and found.is_loopback
