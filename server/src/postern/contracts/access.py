"""Who is this person, may they pass, and what is needed to carry them: proxy → control plane, over the internal API.

Paths are below `INTERNAL_PREFIX`; every call is `POST`, JSON in and out, and carries the proxy's own credential in
`Authorization: Terminal <id>.<secret>`. An answer that refuses is still 200 and says so in its body; other statuses
mean a fault (401 unknown proxy, 400 malformed message, 503 not ready).
"""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from postern.contracts.enums import (
    Actions,
    DenialCode,
    HostKeyVerdict,
    LoginFrom,
    Protocol,
)

INTERNAL_PREFIX: Final = "/api/internal/v1/"

LOGIN_NAME: Final = "sign-in/login-name/"
SIGN_IN_PASSWORD: Final = "sign-in/password/"  # noqa: S105 - a path
PUBLIC_KEY_OFFER: Final = "sign-in/public-key/offer/"
SIGN_IN_PUBLIC_KEY: Final = "sign-in/public-key/"
SIGN_IN_CODE: Final = "sign-in/code/"
REACHABLE_ASSETS: Final = "reachable-assets/"
AUTHORIZE: Final = "authorize/"
REDEEM_TOKEN: Final = "tokens/redeem/"  # noqa: S105 - a path
CREDENTIAL: Final = "credential/"
HOST_KEY: Final = "host-key/"


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """A refusal that explains itself. `message` is in the person's language and names the remedy."""

    code: DenialCode
    message: str
    reasons: tuple[str, ...] = ()


class UserIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """The person as the proxy needs to know them. `language` is `zh-hans` or `en`.

    `epoch` belongs to the sign-in: a proxy gives it back with each session that the sign-in asks for.
    """

    id: UUID
    username: str
    name: str
    language: str = "zh-hans"
    epoch: int = 0


class LoginNameQuery(msgspec.Struct, frozen=True, kw_only=True):
    """How is this SSH user name meant? `contracts.login_name` has its readings.

    The answer is never shown to the person: whether a user exists stays hidden.
    """

    text: str


class LoginNameAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`asset` "" means the menu, `system_user` "" the default one."""

    username: str
    system_user: str = ""
    asset: str = ""


class SignInPassword(msgspec.Struct, frozen=True, kw_only=True):
    """Check a password. Counts towards the lock-out of the account and of the address."""

    username: str
    password: str
    remote_addr: str
    login_from: LoginFrom

    def __repr__(self) -> str:  # a traceback must not print the password
        return f"SignInPassword(username={self.username!r})"


class PublicKeyOffer(msgspec.Struct, frozen=True, kw_only=True):
    """Would this key be taken if the client proved that it holds it? Never a sign-in by itself (K8).

    `public_key` is one line in OpenSSH format.
    """

    username: str
    public_key: str
    remote_addr: str


class PublicKeyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    acceptable: bool


class SignInPublicKey(msgspec.Struct, frozen=True, kw_only=True):
    """The client proved possession of `public_key`: the proxy has verified the signature."""

    username: str
    public_key: str
    remote_addr: str
    login_from: LoginFrom


class SecondFactor(msgspec.Struct, frozen=True, kw_only=True):
    """The first factor was right; nobody is signed in before the code was too.

    `token` names this sign-in for ten minutes and a few tries. `language` is the person's.
    """

    token: str
    language: str = "zh-hans"

    def __repr__(self) -> str:
        return "SecondFactor(…)"


class SignInCode(msgspec.Struct, frozen=True, kw_only=True):
    """The code for a sign-in whose first factor was right: of the authenticator app, or a recovery code."""

    token: str
    code: str
    remote_addr: str

    def __repr__(self) -> str:
        return "SignInCode(…)"


class SignInAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly one of the three is set."""

    user: UserIdentity | None = None
    denial: Denial | None = None
    second_factor: SecondFactor | None = None


class ReachableQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A page of what the person may reach now. `search` matches name, address and comment; `protocol` filters."""

    user_id: UUID
    search: str = ""
    protocol: Protocol | None = Protocol.SSH
    offset: int = 0
    limit: int = 20


class ReachableSystemUser(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    name: str
    username: str
    protocol: Protocol
    priority: int
    manual: bool  # login mode "manual": the person is asked for the credential


class ReachableAsset(msgspec.Struct, frozen=True, kw_only=True):
    """One reachable asset with the system users that may be used on it, highest priority first."""

    id: UUID
    hostname: str
    ip: str
    platform: str
    comment: str
    org_name: str
    system_users: tuple[ReachableSystemUser, ...]


class ReachablePage(msgspec.Struct, frozen=True, kw_only=True):
    count: int
    assets: tuple[ReachableAsset, ...]


class AuthorizeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Ask to open a session.

    `asset` is an id, a name or an address; `system_user` an id, a name or a login name, or "" for the default one
    (highest priority). On success the control plane has created the session in state `opening`.
    """

    user_id: UUID
    asset: str
    system_user: str = ""
    protocol: Protocol
    login_from: LoginFrom
    remote_addr: str
    client: str = ""  # the client's own version text, for the audit log
    epoch: int | None = None  # of the sign-in that asks; one that a password change or a reset has ended opens nothing


class RedeemToken(msgspec.Struct, frozen=True, kw_only=True):
    """Exchange a connection token or a watch token; each works once, within five minutes, on this proxy."""

    token: str
    user_id: UUID  # who the web plane says is on the line; must be the token's owner
    remote_addr: str


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where the target is. Never taken from the client (K17)."""

    host: str
    port: int


class RecordingPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """`strict`: a session that cannot be recorded ends. `record_input`: keystrokes too (off: the echo shows them)."""

    strict: bool = True
    record_input: bool = False


class ActionsUntil(msgspec.Struct, frozen=True, kw_only=True):
    """These actions are permitted before `until`, and not from then on."""

    actions: Actions
    until: datetime


class SessionGrant(msgspec.Struct, frozen=True, kw_only=True):
    """A permitted session: everything the proxy needs except the credential, which is asked for last."""

    session_id: UUID
    user: UserIdentity
    org_id: UUID
    asset_id: UUID
    asset_name: str
    system_user_id: UUID
    system_user_name: str
    login_name: str  # the account on the target; "" when the person is asked for it (manual)
    manual: bool
    protocol: Protocol
    login_from: LoginFrom
    remote_addr: str
    target: Target
    actions: Actions  # permitted when the session was decided
    recording: RecordingPolicy
    expires_at: datetime | None = None  # end of the permission, enforced by the proxy as well
    #: Each action with its own end, enforced by the proxy at that second. Empty: all of `actions` until `expires_at`.
    ends: tuple[ActionsUntil, ...] = ()
    version: int = 0  # rises with each change of the ends; see `terminals.ChangeGrant`
    idle_timeout_s: int = 1800
    control_loss_limit_s: int = 600  # how long the session may go on while the control plane is away
    charset: str = "utf8"  # of the platform: utf8 or gbk


class WatchGrant(msgspec.Struct, frozen=True, kw_only=True):
    """Permission to watch one live session, read-only."""

    session_id: UUID
    watcher: UserIdentity
    watch_id: UUID


class AuthorizeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly one of the fields is set. `candidates` accompanies a denial with code `ambiguous`."""

    grant: SessionGrant | None = None
    watch: WatchGrant | None = None
    denial: Denial | None = None
    candidates: tuple[ReachableAsset, ...] = ()


class CredentialRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Ask for the secret of a session that is still opening, once."""

    session_id: UUID


class Credential(msgspec.Struct, frozen=True, kw_only=True):
    """The account's secrets. Wrap into `kernel.secret.Secret` at once; never log, never keep."""

    login_name: str
    password: str = ""
    private_key: str = ""  # OpenSSH or PEM text, not encrypted

    def __repr__(self) -> str:
        return f"Credential(login_name={self.login_name!r})"


class CredentialAnswer(msgspec.Struct, frozen=True, kw_only=True):
    credential: Credential | None = None
    denial: Denial | None = None

    def __repr__(self) -> str:
        return "CredentialAnswer(…)"


class HostKeySeen(msgspec.Struct, frozen=True, kw_only=True):
    """The target showed this key. `public_key` is one line in OpenSSH format; `via` names the hop ("" = direct)."""

    session_id: UUID
    host: str
    port: int
    public_key: str
    via: str = ""


class HostKeyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`pinned_fingerprint` (SHA256:…) is the key on file, for the message to the person."""

    verdict: HostKeyVerdict
    pinned_fingerprint: str
    message: str = ""
