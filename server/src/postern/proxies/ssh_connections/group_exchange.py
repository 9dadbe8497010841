"""Diffie-Hellman in a group that the target chooses (RFC 4419), at bounded cost.

Hosts such as RHEL 6 support nothing better. The library accepts any group and tests whether its modulus is prime. This
blocks the event loop, and with it all sessions, for seconds with an honest group and for many minutes with a malicious
one. Like OpenSSH, this class bounds the size and checks the public values instead. A weak group harms only the host
that chose it: that host reads everything sent to it anyway, and its host key signs the group.
"""

import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final

import asyncssh
from asyncssh.kex import _kex_handlers
from asyncssh.kex_dh import MSG_KEX_DH_GEX_GROUP, _KexDHGex
from asyncssh.packet import MPInt, SSHPacket

NAME: Final = b"diffie-hellman-group-exchange-sha256"
MIN_BITS: Final = 2048
MAX_BITS: Final = 8192
#: Size of the exponent, which is used once: twice the strength of the strongest cipher (RFC 4419, section 6.2).
_EXPONENT_BITS: Final = 512
#: A public value with fewer bits set would reveal its exponent. OpenSSH requires the same number.
_LEAST_BITS_SET: Final = 4


class BoundedGroupExchange(_KexDHGex):
    """The client's side. The server's side is the library's."""

    _exponent = 0

    def _process_group(self, pkttype: int, pktid: int, packet: SSHPacket) -> None:
        again = SSHPacket(packet.get_full_payload())
        again.get_byte()
        modulus, generator = again.get_mpint(), again.get_mpint()
        if not MIN_BITS <= modulus.bit_length() <= MAX_BITS or not modulus & 1 or not 1 < generator < modulus - 1:
            raise asyncssh.ProtocolError(f"a group of {modulus.bit_length()} bits is not taken")
        super()._process_group(pkttype, pktid, packet)

    def _perform_init(self) -> None:
        # With the highest bit set, the public value is never a small power of the generator.
        self._exponent = secrets.randbits(_EXPONENT_BITS - 1) | 1 << (_EXPONENT_BITS - 1)
        self._e = pow(self._g, self._exponent, self._p)
        self._check(self._e)
        self._send_init()

    def _compute_client_shared(self) -> bytes:
        self._check(self._f)
        return MPInt(pow(self._f, self._exponent, self._p))

    def _check(self, public: int) -> None:
        if not 1 < public < self._p - 1 or public.bit_count() < _LEAST_BITS_SET:
            raise asyncssh.ProtocolError("a public value that no exponent should have")

    _packet_handlers: Mapping[int, Callable[..., Any]] = {
        **_KexDHGex._packet_handlers,  # noqa: SLF001 - its base
        MSG_KEX_DH_GEX_GROUP: _process_group,
    }


def use_bounded_group_exchange() -> None:
    """Make the library use this class in this process. Idempotent."""
    _handler, hash_algorithm, arguments = _kex_handlers[NAME]
    _kex_handlers[NAME] = (BoundedGroupExchange, hash_algorithm, arguments)
