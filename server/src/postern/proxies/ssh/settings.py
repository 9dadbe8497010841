"""Settings of the SSH front, created once by the composition root."""

from dataclasses import dataclass, field
from pathlib import Path

from postern.proxies.ssh.limits import SshLimits


@dataclass(frozen=True, kw_only=True)
class SshSettings:
    """Settings of the SSH front.

    `address` is `host:port`. `host_key_dir` holds the host keys (mode 0700). `fast_transport` enables the fast data
    path, which is tested at start.
    """

    address: str
    host_key_dir: Path
    limits: SshLimits = field(default_factory=SshLimits)
    fast_transport: bool = True
