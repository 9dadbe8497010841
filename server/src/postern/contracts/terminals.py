"""Registration, heartbeat and the control channel of a terminal (a registered proxy).

Registration is `POST /api/v1/terminal/terminal-registrations/` with `Authorization: BootstrapToken <token>`, as the API
contract says. A registered proxy waits until a super administrator accepts it; until then its credential only allows
asking for `REGISTRATION_STATE`. The proxy of the control plane's own data folder is accepted at once: it sends
`Authorization: LocalProxy <proof>` (`local_proof`), made with a secret that never leaves that folder. The control
channel is a websocket at `CONTROL_CHANNEL`, opened by the proxy with its credential. The control plane sends `Order`s,
and the proxy answers each with `OrderDone`. A heartbeat answer repeats all open orders, so an order survives a lost
channel. Orders are idempotent.
"""

import base64
import hashlib
import hmac
from enum import StrEnum
from typing import Final
from uuid import UUID

import msgspec

from postern.contracts.access import ActionsUntil
from postern.contracts.command_control import CommandControl

CONTROL_CHANNEL: Final = "/ws/internal/control/"
HEARTBEAT: Final = "heartbeat/"
#: The interval until a proxy learns the setting. At the same interval, proxy and control plane compare their lists of live
#: sessions.
HEARTBEAT_INTERVAL_S: Final = 5
REGISTRATION_STATE: Final = "registration/"
RENEW_CREDENTIAL: Final = "registration/renew/"
#: Seconds without a heartbeat after which a terminal counts as dead and its sessions as interrupted.
LEASE_S: Final = 45
#: A proxy with an older protocol version cannot decode an answer with `ChangeLock` or `ShowMessage`.
STEERING_SINCE: Final = 3


class Registered(msgspec.Struct, frozen=True, kw_only=True):
    """The proxy's own credential, as stored in its state folder (mode 0600)."""

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
    """State of this proxy's registration. 401: the credential belongs to no registration, or was revoked."""

    state: StateOfRegistration


class CredentialRenewalRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy fetches the new credential that was ordered. `boot_id` is that of its heartbeats, unknown to a thief of a
    file.
    """

    boot_id: UUID


class RenewedCredential(msgspec.Struct, frozen=True, kw_only=True):
    """The new secret. It replaces the present one as soon as it is used."""

    secret: str

    def __repr__(self) -> str:
        return "RenewedCredential(…)"


#: How long a proof of the local proxy is valid; each proof is accepted once.
LOCAL_PROOF_S: Final = 60


def local_proof(secret: str, *, name: str, made_at: int, nonce: str) -> str:
    """Proof of the local proxy: `made_at.nonce.code`. The code is made with `secret`, which is not sent."""
    text = f"postern local proxy\x00{name}\x00{made_at}\x00{nonce}"
    code = hmac.new(secret.encode("utf-8"), text.encode("utf-8"), hashlib.sha256).hexdigest()
    return f"{made_at}.{nonce}.{code}"


def hash_of_secret(secret: str) -> str:
    """The form in which the control plane stores a credential."""
    return hashlib.sha256(secret.encode("utf-8")).hexdigest()


def fingerprint_of(secret_hash: str) -> str:
    """A short text that identifies a credential, for comparing both sides. It grants no access."""
    digest = hashlib.sha256(b"postern proxy credential\x00" + secret_hash.encode("ascii")).digest()
    return "SHA256:" + base64.b64encode(digest[:15]).decode("ascii")


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """State of the proxy. `sessions` are the ids of all its live sessions; any other session of this proxy has ended.

    `stream_address` is the address of the proxy's browser endpoint for the web plane: `unix:/path` or `host:port`.
    `files_address` is that of its endpoint for files (`contracts/files.py`), in the same form; "" if it has none.
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
    files_address: str = ""
    unsent_events: int = 0
    #: Sessions with unsent events; None when there are too many to list.
    unreported: tuple[UUID, ...] | None = None
    draining: bool = False


class TerminateSession(msgspec.Struct, frozen=True, kw_only=True, tag="terminate_session"):
    """End a session within two seconds; the person is shown `message`."""

    order_id: UUID
    session_id: UUID
    by: str
    reason: str  # an EndReason value: terminated, account_closed, grant_expired or grant_withdrawn
    message_zh: str
    message_en: str


class StopWatching(msgspec.Struct, frozen=True, kw_only=True, tag="stop_watching"):
    """End a watcher's view, because their right or their sign-in has ended."""

    order_id: UUID
    watch_id: UUID


class ChangeGrant(msgspec.Struct, frozen=True, kw_only=True, tag="change_grant"):
    """The permitted actions of a live session and their ends have changed. An older `version` is stale."""

    order_id: UUID
    session_id: UUID
    version: int
    ends: tuple[ActionsUntil, ...]


class ChangeCommandControl(msgspec.Struct, frozen=True, kw_only=True, tag="change_command_control"):
    """The command filters of a live session have changed. An older `control.version` is stale."""

    order_id: UUID
    session_id: UUID
    control: CommandControl


class ChangeLock(msgspec.Struct, frozen=True, kw_only=True, tag="change_lock"):
    """Whether a live session is locked: nothing that the person sends reaches the target. An older `version` is stale."""

    order_id: UUID
    session_id: UUID
    version: int
    is_locked: bool
    by: str  # who locked or unlocked it


class ShowMessage(msgspec.Struct, frozen=True, kw_only=True, tag="show_message"):
    """Show the person of a live session a line of text, once for each order."""

    order_id: UUID
    session_id: UUID
    by: str
    text: str


Order = TerminateSession | StopWatching | ChangeGrant | ChangeCommandControl | ChangeLock | ShowMessage


class UnknownOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order of a newer control plane, as far as an older proxy can read it. It is answered as failed."""

    order_id: UUID


class SettingsUpdate(msgspec.Struct, frozen=True, kw_only=True, tag="settings_update"):
    """The settings that proxies share, sent over the control channel when they change.

    It has no answer: the next heartbeat repeats a lost message.
    """

    settings: "ProxySettings"


class OrderDone(msgspec.Struct, frozen=True, kw_only=True):
    """`found` is False when the proxy does not have the session any more: the control plane then ends its row."""

    order_id: UUID
    ok: bool = True
    detail: str = ""
    found: bool = True


class HeartbeatAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Open orders, the settings that proxies share, and whether to fetch a new credential.

    `over`: reported sessions that the proxy must end.
    """

    orders: tuple[Order, ...]
    settings: "ProxySettings"
    over: tuple[UUID, ...] = ()
    renew_credential: bool = False
    #: Set by the proxy that received the answer; the control plane sends none.
    unknown_orders: tuple[UnknownOrder, ...] = ()


class ReceivedHeartbeatAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A `HeartbeatAnswer` as the proxy decodes it: order by order, so that an unknown order does not cost the rest."""

    orders: tuple[msgspec.Raw, ...]
    settings: "ProxySettings"
    over: tuple[UUID, ...] = ()
    renew_credential: bool = False


class ProxySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the `terminal` and `security` categories that concern a proxy.

    `version`: that of all settings of the installation. Each change of any of them raises it.
    """

    version: int = 0

    password_auth: bool = True
    public_key_auth: bool = True
    code_auth: bool = False  # codes from the console, which are checked as passwords are
    asset_list_sort_by: str = "hostname"  # hostname | ip
    asset_list_page_size: str = "auto"  # all | auto | 10 | 15 | 25 | 50
    max_idle_minutes: int = 30
    #: Postern's address for users' SSH clients; "" and 0 when the installation sets none.
    ssh_host: str = ""
    ssh_port: int = 0
    console_url: str = ""  # where people sign in with a browser
    credentials_a_minute: int = 600  # maximum number per minute for this proxy
    heartbeat_interval_s: int = HEARTBEAT_INTERVAL_S
    language: str = "zh-hans"  # for people who have chosen no language and whose client names none
