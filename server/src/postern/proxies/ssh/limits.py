"""Limits of the SSH front and of connections to SSH targets."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self


@dataclass(frozen=True, kw_only=True)
class SshLimits:
    """Limits that protect the proxy. Times in seconds."""

    # Before sign-in
    connections_total: int = 2000
    connections_unauthenticated: int = 500
    connections_per_source: int = 200
    unauthenticated_per_source: int = 30
    new_connections_per_source_per_s: int = 20
    login_timeout_s: float = 60.0
    auth_tries: int = 6
    public_keys: int = 20  # per connection: agents offer all keys that they hold
    keys_per_source_per_s: int = 50
    keys_per_s: int = 150  # with a burst of ten seconds, below what the control plane answers a proxy in a minute

    # One connection
    channels_per_connection: int = 10
    forwards_per_connection: int = 64
    #: How long a session of forwarded connections stays open without any: programs reconnect.
    forward_grace_s: float = 60.0
    target_login_s: float = 30.0
    goodbye_s: float = 1.0  # how long an ending session may take to show its last output

    @property
    def files(self) -> int:
        """One file per connection. Connections to targets are counted with the sessions."""
        return self.connections_total

    def with_share_of_files(self, share: Fraction) -> Self:
        return replace(self, connections_total=int(self.connections_total * share))
