"""A mail server and the account that signs in there."""

from dataclasses import dataclass
from enum import Enum

from postern.kernel.dialing import plain
from postern.kernel.secret import Secret


class Encryption(Enum):
    """How the connection is encrypted. Nothing falls back to less than was chosen."""

    #: TLS from the first byte, usually on port 465.
    TLS = "tls"
    #: STARTTLS after the greeting, usually on port 587.
    STARTTLS = "starttls"
    #: No encryption, usually on port 25. A password is then sent to this machine only.
    NONE = "none"


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail is sent. Without a password Postern does not sign in, as relays expect it."""

    host: str
    port: int
    encryption: Encryption
    username: str = ""
    password: Secret | None = None


def is_loopback(address: str) -> bool:
    """Whether bytes to this address never leave the machine."""
    host = plain(address)
    return host is not None and host.is_loopback
