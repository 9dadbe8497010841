"""Settings of a proxy process, created once by the composition root."""

from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

from postern.kernel.secret import Secret
from postern.proxies.core.limits import Limits


@dataclass(frozen=True, kw_only=True)
class ProxyConfig:
    """Settings of a proxy process, independent of its protocols.

    `state_dir` holds the credential, the journal, the recordings and the unsent events (mode 0700). `control_url` is
    the web plane, e.g. `http://127.0.0.1:8080`. `bootstrap_token` is needed only until the proxy has its own
    credential. `local_secret` replaces it if the control plane uses the same data folder ("" otherwise), and is never
    sent.

    `allow_local_targets` permits loopback and link-local targets. `blocked_networks` are never dialled (K36: only
    addresses of permitted targets are dialled). `language` is used until the control plane reports the installation's
    language.
    """

    state_dir: Path
    control_url: str
    name: str
    bootstrap_token: Secret = field(default_factory=lambda: Secret(""))
    local_secret: Secret = field(default_factory=lambda: Secret(""))
    limits: Limits = field(default_factory=Limits)
    allow_local_targets: bool = False
    blocked_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    language: str = "zh-hans"

    @property
    def credential_file(self) -> Path:
        return self.state_dir / "credential.json"

    @property
    def journal_dir(self) -> Path:
        return self.state_dir / "journal"

    @property
    def recordings_dir(self) -> Path:
        return self.state_dir / "recordings"

    @property
    def outbox_dir(self) -> Path:
        return self.state_dir / "outbox"


def split_address(address: str) -> tuple[str, int]:
    """Split `host:port`. IPv6 hosts are in brackets. Raises ValueError."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or not 0 <= int(port) <= 65535:
        raise ValueError(f"not an address of the form host:port: {address!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)
