"""Registration, heartbeat and the control channel of a terminal (a registered proxy).

Registration is `POST /api/v1/terminal/terminal-registrations/` with `Authorization: BootstrapToken <token>`, as the
API contract says. A proxy that has registered waits until a super administrator accepts it: all that its credential does
until then is to ask `REGISTRATION_STATE`. The proxy of the control plane's own data folder is accepted at once: it shows
`Authorization: LocalProxy <proof>` (`local_proof`), made with a secret that never leaves that folder. The control channel is a websocket at `CONTROL_CHANNEL`, opened by the proxy with its credential;
the control plane sends `Order`s, the proxy answers each with `OrderDone`. A heartbeat answer repeats all orders that
are still open, so an order survives a lost channel. Orders are idempotent.
"""

import base64
import hashlib
import hmac
from enum import StrEnum
from typing import Final
from uuid import UUID

import msgspec

from postern.contracts.access import ActionsUntil

CONTROL_CHANNEL: Final = "/ws/internal/control/"
HEARTBEAT: Final = "heartbeat/"
#: Also how often proxy and control plane compare their lists of live sessions.
HEARTBEAT_INTERVAL_S: Final = 5
REGISTRATION_STATE: Final = "registration/"
RENEW_CREDENTIAL: Final = "registration/renew/"
#: After this long without a heartbeat a terminal counts as dead and its sessions as interrupted.
LEASE_S: Final = 45


class Registered(msgspec.Struct, frozen=True, kw_only=True):
    """The proxy's own credential, as kept in its state folder (mode 0600)."""

    terminal_id: UUID
    name: str
    secret: str

    def __repr__(self) -> str:
        return f"Registered({self.terminal_id})"


class StateOfRegistration(StrEnum):
    """`waiting`: not accepted (yet, or any more). `refused`: deleted by an administrator."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class RegistrationAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How it stands with this proxy's registration. 401: the credential is of no registration, or was revoked."""

    state: StateOfRegistration


class CredentialRenewalRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy fetches the credential that was ordered for it. `boot_id`: that of its heartbeats, which no thief of a file knows."""

    boot_id: UUID


class RenewedCredential(msgspec.Struct, frozen=True, kw_only=True):
    """The secret that takes the place of the present one as soon as it is used."""

    secret: str

    def __repr__(self) -> str:
        return "RenewedCredential(…)"


#: How long a proof of the local proxy is taken; each is taken once.
LOCAL_PROOF_S: Final = 60


def local_proof(secret: str, *, name: str, made_at: int, nonce: str) -> str:
    """What the local proxy shows: `made_at.nonce.code`. The code is made with `secret`, which is not sent."""
    text = f"postern local proxy\x00{name}\x00{made_at}\x00{nonce}"
    code = hmac.new(secret.encode("utf-8"), text.encode("utf-8"), hashlib.sha256).hexdigest()
    return f"{made_at}.{nonce}.{code}"


def hash_of_secret(secret: str) -> str:
    """What the control plane keeps of a credential."""
    return hashlib.sha256(secret.encode("utf-8")).hexdigest()


def fingerprint_of(secret_hash: str) -> str:
    """Short words for a credential, shown on both sides to compare; nothing can be done with it."""
    digest = hashlib.sha256(b"postern proxy credential\x00" + secret_hash.encode("ascii")).digest()
    return "SHA256:" + base64.b64encode(digest[:15]).decode("ascii")


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
    """Open orders, the settings that proxies share, and whether to fetch a new credential.

    `over`: listed sessions that must not go on; end them.
    """

    orders: tuple[Order, ...]
    settings: "ProxySettings"
    over: tuple[UUID, ...] = ()
    renew_credential: bool = False


class ProxySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the `terminal` and `security` categories that concern a proxy."""

    password_auth: bool = True
    public_key_auth: bool = True
    asset_list_sort_by: str = "hostname"  # hostname | ip
    asset_list_page_size: str = "auto"  # all | auto | 10 | 15 | 25 | 50
    max_idle_minutes: int = 30
    header_title: str = ""
    credentials_a_minute: int = 600  # how many this proxy gets
    language: str = "zh-hans"  # what people are spoken to in who have chosen no language, where their client names none
