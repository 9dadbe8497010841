"""TCP ports on the loopback address, for programs whose port must be known before they start."""

import random
import socket
from pathlib import Path
from typing import Final

#: The kernel takes ports for outgoing connections from this range, so lower ports are safe until the program listens.
_RANGE_FILE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST: Final = 10_000
#: Claims that tell other test processes that a port is taken. The kernel releases them when this process ends.
_claims: Final[list[socket.socket]] = []


def _ends() -> int:
    return int(_RANGE_FILE.read_text().split()[0]) if _RANGE_FILE.exists() else 32_768


def free_port() -> int:
    """A free port, which this function gives to no other caller on this machine while this process lives."""
    lowest, ends = _LOWEST, _ends()
    if ends - lowest < 1_000:  # nearly all ports of this machine are for outgoing connections
        lowest, ends = 1_024, 65_536
    for port in random.sample(range(lowest, ends), 500):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0postern-test-port-{port}")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        _claims.append(claim)
        return port
    raise RuntimeError("500 ports were tried, and all are in use")
