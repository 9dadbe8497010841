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
#: How long the web part keeps a connection that nobody uses, and for how long a proxy uses it again. The proxy gives it up first: a
#: request on a connection that the other side is closing is lost, and nobody knows whether it was carried out.
WEB_KEEPS_IDLE_S: Final = 20
PROXY_USES_IDLE_S: Final = 10

#: Requests that count only once carry an `attempt`: made up by the proxy, so many random bytes in hexadecimal digits, known to nobody
#: else. The same request with the same attempt is answered again, without counting again, for so many seconds: longer than a
#: proxy holds what a person asks for. Without an attempt each request counts.
ATTEMPT_BYTES: Final = 16
REPEATABLE_S: Final = 30

SIGN_IN_PASSWORD: Final = "sign-in/password/"  # noqa: S105 - a path
PUBLIC_KEY_OFFER: Final = "sign-in/public-key/offer/"
SIGN_IN_PUBLIC_KEY: Final = "sign-in/public-key/"
SIGN_IN_CODE: Final = "sign-in/code/"
TICKETS: Final = "sign-in/tickets/"
#: Tickets in one report.
MAX_TICKETS: Final = 500
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
    """The person as the proxy needs to know them.

    `language` is `zh-hans` or `en`; "" after a sign-in when the person has chosen none: then their client's
    environment decides, else `terminals.ProxySettings.language`. The person of a session always has one.
    """

    id: UUID
    username: str
    name: str
    language: str = ""


class LoginNameAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How the SSH user name was meant. `asset` "" means the menu, `system_user` "" the default one.

    `contracts.login_name` has the readings of a text. Only told about people who have signed in.
    """

    username: str
    system_user: str = ""
    asset: str = ""


class SignInPassword(msgspec.Struct, frozen=True, kw_only=True):
    """Check a password. Counts towards the lock-out of the account and of the address.

    `username` is the SSH user name as the client sent it (`LoginNameAnswer`).
    """

    username: str
    password: str
    remote_addr: str
    login_from: LoginFrom
    attempt: str = ""

    def __repr__(self) -> str:  # a traceback must not print the password
        return f"SignInPassword(username={self.username!r})"


class PublicKeyOffer(msgspec.Struct, frozen=True, kw_only=True):
    """Would this key be taken if the client proved that it holds it? Never a sign-in by itself (K8).

    `username` is the SSH user name as the client sent it, `public_key` one line in OpenSSH format.
    """

    username: str
    public_key: str
    remote_addr: str


class PublicKeyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    acceptable: bool


class SignInPublicKey(msgspec.Struct, frozen=True, kw_only=True):
    """The client signed its sign-in request. The control plane verifies it: the word of a proxy signs nobody in (K8).

    `signed` is what RFC 4252, section 7 has the client sign (the connection's identifier and the request, which name person
    and key), `signature` the signature as the client sent it. Each connection signs in once. `attempt` is made up by the proxy
    for this sign-in and known to nobody else: with it the same request can be repeated for some seconds when its answer was
    lost.
    """

    signed: bytes
    signature: bytes
    attempt: str
    remote_addr: str
    login_from: LoginFrom


class SecondFactor(msgspec.Struct, frozen=True, kw_only=True):
    """The first factor was right; nobody is signed in before the code was too.

    `token` names this sign-in for ten minutes and a few tries. `language` is the person's, "" when they have
    chosen none.
    """

    token: str
    language: str = ""

    def __repr__(self) -> str:
        return "SecondFactor(…)"


class SignInCode(msgspec.Struct, frozen=True, kw_only=True):
    """The code for a sign-in whose first factor was right: of the authenticator app, or a recovery code."""

    token: str
    code: str
    username: str  # as the client sent it, to answer how it was meant
    remote_addr: str
    attempt: str = ""

    def __repr__(self) -> str:
        return "SignInCode(…)"


class SignInAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly one of `user`, `denial` and `second_factor` is set.

    With `user` come the ticket, without which nothing is done for this person, and how the user name was meant.
    """

    user: UserIdentity | None = None
    denial: Denial | None = None
    second_factor: SecondFactor | None = None
    ticket: str = ""
    login: LoginNameAnswer | None = None

    def __repr__(self) -> str:  # a log line must not print the ticket
        return f"SignInAnswer(user={self.user!r}, denial={self.denial!r})"


class TicketReport(msgspec.Struct, frozen=True, kw_only=True):
    """Which connections are open still, and which were closed since the last report; at most `MAX_TICKETS` of each.

    A ticket that is not reported for ten minutes is void, and so is one that was reported as closed.
    """

    open: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"TicketReport({len(self.open)} open, {len(self.closed)} closed)"


class TicketReportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`void`: places in `open` of the tickets that are worth nothing any more; their people have to sign in again."""

    void: tuple[int, ...] = ()


class ReachableQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A page of what the person may reach now. `search` matches name, address and comment; `protocol` filters."""

    ticket: str
    remote_addr: str
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
    """`denial` when the ticket is worth nothing (any more)."""

    count: int
    assets: tuple[ReachableAsset, ...]
    denial: Denial | None = None


class AuthorizeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Ask to open a session for the person who signed in and got `ticket`; nobody else can be named.

    `remote_addr` is where that person's client is; another address than at sign-in voids the wish. `asset` is an id, a
    name or an address; `system_user` an id, a name or a login name, or "" for the default one (highest priority). On
    success the control plane has created the session in state `opening`.
    """

    ticket: str
    asset: str
    system_user: str = ""
    protocol: Protocol
    login_from: LoginFrom
    remote_addr: str
    client: str = ""  # the client's own version text, for the audit log
    language: str = ""  # for the answer and the session, when the person has chosen none

    def __repr__(self) -> str:
        return f"AuthorizeRequest({self.system_user!r} on {self.asset!r})"


class RedeemToken(msgspec.Struct, frozen=True, kw_only=True):
    """Exchange a connection token or a watch token; each works once, within five minutes, on this proxy."""

    token: str
    user_id: UUID  # who the web plane says is on the line; must be the token's owner
    remote_addr: str
    language: str = ""  # as in `AuthorizeRequest`
    attempt: str = ""

    def __repr__(self) -> str:  # a log line must not print the token
        return "RedeemToken(…)"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where the target is. Never taken from the client (K17)."""

    host: str
    port: int


class RecordingPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """`strict`: a session that cannot be recorded ends. `record_input`: keys typed in shells too (off: the echo shows
    them, and the input of commands is recorded all the same).
    """

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
    #: Shown with every question about the session while it opens. Its id is no secret: lists and logs have it (K63).
    opening_key: str = ""

    def __repr__(self) -> str:
        return f"SessionGrant({self.session_id})"


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
    """Ask for the secret of a session that is still opening, once. `opening_key` comes from its grant."""

    session_id: UUID
    opening_key: str
    language: str = ""  # of the session
    attempt: str = ""

    def __repr__(self) -> str:  # who knows key and attempt gets the secret
        return f"CredentialRequest({self.session_id})"


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
    opening_key: str
    host: str
    port: int
    public_key: str
    via: str = ""
    language: str = ""  # of the session


class HostKeyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`pinned_fingerprint` (SHA256:…) is the key on file, for the message to the person."""

    verdict: HostKeyVerdict
    pinned_fingerprint: str
    message: str = ""
