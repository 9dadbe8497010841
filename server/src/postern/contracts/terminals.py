"""Registration, heartbeat and the control channel of a terminal (a registered proxy).

Registration is `POST /api/v1/terminal/terminal-registrations/` with `Authorization: BootstrapToken <token>`, as the
API contract says. The control channel is a websocket at `CONTROL_CHANNEL`, opened by the proxy with its credential;
the control plane sends `Order`s, the proxy answers each with `OrderDone`. A heartbeat answer repeats all orders that
are still open, so an order survives a lost channel. Orders are idempotent.
"""

from typing import Final
from uuid import UUID

import msgspec

from postern.contracts.access import ActionsUntil

CONTROL_CHANNEL: Final = "/ws/internal/control/"
HEARTBEAT: Final = "heartbeat/"
#: Also how often proxy and control plane compare their lists of live sessions.
HEARTBEAT_INTERVAL_S: Final = 5
#: After this long without a heartbeat a terminal counts as dead and its sessions as interrupted.
LEASE_S: Final = 45


class Registered(msgspec.Struct, frozen=True, kw_only=True):
    """The proxy's own credential, as kept in its state folder (mode 0600)."""

    terminal_id: UUID
    name: str
    secret: str

    def __repr__(self) -> str:
        return f"Registered({self.terminal_id})"


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """State of the proxy. `sessions` are all live session ids: any other session of this proxy is over.

    `stream_address` is where the web plane reaches the proxy's browser endpoint: `unix:/path` or `host:port`.
    """

    version: str
    protocol_version: int
    sessions: tuple[UUID, ...]
    cpu_load: float
    memory_used: float  # percent
    disk_used: float  # percent, of the recording volume
    connections: int
    boot_id: UUID  # new at each start of the proxy
    stream_address: str
    ssh_port: int
    unsent_events: int = 0
    #: Sessions with events that are still to be sent; None: too many to name.
    unreported: tuple[UUID, ...] | None = None
    draining: bool = False


class TerminateSession(msgspec.Struct, frozen=True, kw_only=True, tag="terminate_session"):
    """End a session within two seconds; the person sees `message`."""

    order_id: UUID
    session_id: UUID
    by: str
    reason: str  # an EndReason value: terminated, account_closed, grant_expired or grant_withdrawn
    message_zh: str
    message_en: str


class StopWatching(msgspec.Struct, frozen=True, kw_only=True, tag="stop_watching"):
    """End one watcher's view (their right or their sign-in is gone)."""

    order_id: UUID
    watch_id: UUID


class ChangeGrant(msgspec.Struct, frozen=True, kw_only=True, tag="change_grant"):
    """What a live session may do has changed: its actions with their ends, from now on. An older `version` is stale."""

    order_id: UUID
    session_id: UUID
    version: int
    ends: tuple[ActionsUntil, ...]


Order = TerminateSession | StopWatching | ChangeGrant


class OrderDone(msgspec.Struct, frozen=True, kw_only=True):
    """`found` False: the proxy carries no such session (any more), so the row of a session to be ended is over."""

    order_id: UUID
    ok: bool = True
    detail: str = ""
    found: bool = True


class HeartbeatAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Open orders, and the settings that proxies share. `over`: listed sessions that must not go on; end them."""

    orders: tuple[Order, ...]
    settings: "ProxySettings"
    over: tuple[UUID, ...] = ()


class ProxySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the `terminal` and `security` categories that concern a proxy."""

    password_auth: bool = True
    public_key_auth: bool = True
    asset_list_sort_by: str = "hostname"  # hostname | ip
    asset_list_page_size: str = "auto"  # all | auto | 10 | 15 | 25 | 50
    max_idle_minutes: int = 30
    header_title: str = ""
