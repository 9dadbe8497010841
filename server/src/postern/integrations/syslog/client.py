"""Sends messages to a syslog receiver over a connection of their own.

Syslog has no acknowledgement. Over TCP and TLS the client says that it is done and waits until the receiver closes the
connection, too: it then has read everything. A receiver that was stopped meanwhile resets the connection instead, and the
caller sends all of it again. One deadline covers everything.
"""

import socket
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.network.outbound import DialTarget, TargetRefused, TargetUnknown
from postern.foundation.phrases import Phrase
from postern.integrations.syslog.message import framed
from postern.kernel.clock import monotonic_s
from postern.kernel.errors import PosternError
from postern.kernel.sentences import Sentence

#: Checks an address. Raises TargetRefused or TargetUnknown.
DialCheck = Callable[[str, int], DialTarget]

#: How long a receiver may take to read the rest and to close.
_CLOSE_S: Final = 10.0
#: How long a receiver that refuses us may take to say so.
_WATCH_S: Final = 1.0
#: UDP: a receiver loses what comes faster than it reads.
_PACKETS: Final = 50
_PACKET_PAUSE_S: Final = 0.01
#: UDP: time for the answer that nobody listens.
_UNREACHABLE_S: Final = 0.05

_NAME: Final = Phrase(
    "syslog.name_unknown", _("The name %(host)s cannot be resolved. Check the host and the DNS server.")
)
_CONNECT: Final = Phrase(
    "syslog.unreachable",
    _("%(host)s does not accept a connection to port %(port)d. Check host, port, transport and the firewall."),
)
_TIMEOUT: Final = Phrase(
    "syslog.timeout", _("%(host)s did not take the messages within %(seconds)d seconds. They are sent again.")
)
_BROKEN: Final = Phrase(
    "syslog.broken", _("%(host)s closed the connection before it had read all messages. They are sent again.")
)
_UNTRUSTED: Final = Phrase(
    "syslog.untrusted",
    _(
        "The certificate of %(host)s is not trusted (%(reason)s). Enter the certificate of its authority as CA certificate."
    ),
)
_WRONG_NAME: Final = Phrase(
    "syslog.wrong_name",
    _("The certificate of the receiver is not for %(host)s. Enter the host name that is in the certificate."),
)
_TLS: Final = Phrase(
    "syslog.tls", _("TLS with %(host)s failed. Check the port, and whether the receiver speaks TLS there.")
)
_WRONG_NAMES: Final = {62, 64}


class Transport(StrEnum):
    UDP = "udp"
    TCP = "tcp"
    TLS = "tls"


@dataclass(frozen=True, slots=True)
class SyslogServer:
    """A receiver. `ca`: PEM certificates of its authority; empty means those of the machine."""

    host: str
    port: int
    transport: Transport
    ca: str = ""


class SyslogFailed(PosternError):
    """The receiver did not take the messages, or perhaps only a part of them."""

    code = "syslog_failed"


def send(server: SyslogServer, messages: Sequence[bytes], *, check: DialCheck, limit_s: float) -> None:
    """Send these messages. Raises SyslogFailed; then any of them may have arrived."""
    until_s = monotonic_s() + limit_s
    target = _checked(server, check)
    try:
        if server.transport is Transport.UDP:
            _send_packets(target, messages, until_s)
        else:
            _send_stream(server, target, messages, until_s)
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in _WRONG_NAMES:
            raise SyslogFailed(_WRONG_NAME.say(host=server.host)) from None
        raise SyslogFailed(_UNTRUSTED.say(host=server.host, reason=error.verify_message)) from None
    except ssl.SSLError:
        raise SyslogFailed(_TLS.say(host=server.host)) from None
    except TimeoutError:
        raise SyslogFailed(_TIMEOUT.say(host=server.host, seconds=round(limit_s))) from None
    except OSError:
        raise SyslogFailed(_BROKEN.say(host=server.host)) from None


def _checked(server: SyslogServer, check: DialCheck) -> DialTarget:
    try:
        return check(server.host, server.port)
    except TargetUnknown:
        raise SyslogFailed(_NAME.say(host=server.host)) from None
    except TargetRefused as error:
        raise SyslogFailed(error.sentence) from None


def _send_packets(target: DialTarget, messages: Sequence[bytes], until_s: float) -> None:
    family = socket.AF_INET6 if ":" in target.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as packets:
        packets.connect((target.address, target.port))
        for number, content in enumerate(messages, 1):
            packets.settimeout(_left(until_s))
            packets.send(content)
            if number % _PACKETS == 0:
                time.sleep(_PACKET_PAUSE_S)
        packets.settimeout(_UNREACHABLE_S)
        with suppress(TimeoutError):  # silence is all that a receiver of UDP ever says
            packets.recv(1)


def _send_stream(server: SyslogServer, target: DialTarget, messages: Sequence[bytes], until_s: float) -> None:
    try:
        plain = socket.create_connection((target.address, target.port), timeout=_left(until_s))
    except OSError as error:
        raise SyslogFailed(_connect_failure(server)) from error
    with plain:
        if server.transport is Transport.TCP:
            _write(plain, messages, until_s)
            _watch(plain, until_s)
            plain.shutdown(socket.SHUT_WR)
            _wait_for_end(plain, until_s)
            return
        context = ssl.create_default_context(cadata=server.ca or None)
        plain.settimeout(_left(until_s))
        # The time limit of a handshake, of a write and of `unwrap` is for the whole of it.
        with context.wrap_socket(plain, server_hostname=server.host) as encrypted:
            _write(encrypted, messages, until_s)
            _watch(encrypted, until_s)
            encrypted.settimeout(min(_left(until_s), _CLOSE_S))
            try:
                raw = encrypted.unwrap()
            except ssl.SSLEOFError:
                return  # it closed the connection without the farewell of TLS
            with raw:
                _wait_for_end(raw, until_s)


def _write(connection: socket.socket, messages: Sequence[bytes], until_s: float) -> None:
    for content in messages:
        connection.settimeout(_left(until_s))
        connection.sendall(framed(content))


def _watch(connection: socket.socket, until_s: float) -> None:
    """Raise OSError when the receiver ends the connection, or says anything, while our side is still open.

    It refuses us: a receiver takes messages as long as they may come. With TLS 1.3 it judges our certificate, or the
    lack of one, after our handshake is over, and behind a relay all bytes seem to be taken.
    """
    connection.settimeout(min(_left(until_s), _WATCH_S))
    with suppress(TimeoutError):
        connection.recv(1)
        raise ConnectionAbortedError


def _wait_for_end(connection: socket.socket, until_s: float) -> None:
    """Wait until the receiver closes the connection. Raises ConnectionResetError when it had not read everything."""
    until_s = min(until_s, monotonic_s() + _CLOSE_S)
    while True:
        connection.settimeout(_left(until_s))
        if not connection.recv(1024):
            return


def _connect_failure(server: SyslogServer) -> Sentence:
    return _CONNECT.say(host=server.host, port=server.port)


def _left(until_s: float) -> float:
    left_s = until_s - monotonic_s()
    if left_s <= 0:
        raise TimeoutError
    return left_s
