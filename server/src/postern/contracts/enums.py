"""Closed enums that both planes, the API and the console share. Values are stable: they are stored and sent."""

from enum import IntFlag, StrEnum


class Protocol(StrEnum):
    """Protocols of assets and applications (contract: system users, sessions)."""

    SSH = "ssh"
    RDP = "rdp"
    TELNET = "telnet"
    VNC = "vnc"
    MYSQL = "mysql"
    ORACLE = "oracle"
    MARIADB = "mariadb"
    POSTGRESQL = "postgresql"
    K8S = "k8s"


class LoginFrom(StrEnum):
    """Which front the person came through (contract: sessions.login_from)."""

    SSH_TERMINAL = "ST"
    RDP_TERMINAL = "RT"
    WEB_TERMINAL = "WT"


class SignInMethod(StrEnum):
    """How a person proved who he is."""

    PASSWORD = "password"  # noqa: S105 - the name of a method, not a password
    PUBLIC_KEY = "publickey"


class Actions(IntFlag):
    """Action bits of a permission (contract: perms, "Action bits")."""

    NONE = 0
    CONNECT = 1
    UPLOAD_FILE = 2
    DOWNLOAD_FILE = 4
    UPDOWNLOAD = 6
    CLIPBOARD_COPY = 8
    CLIPBOARD_PASTE = 16
    CLIPBOARD_COPY_PASTE = 24
    ALL = 255


class SessionState(StrEnum):
    """Life of a session. Order: opening → active → ended.

    Nothing leads back, with one exception: a session that was only presumed `interrupted`, because its proxy was silent
    for a whole lease, is active again when that proxy says that it never ended.
    """

    OPENING = "opening"
    ACTIVE = "active"
    ENDED = "ended"


class EndReason(StrEnum):
    """Why a session ended. Exactly one for each ended session."""

    USER_CLOSED = "user_closed"  # the person left, or their connection went away
    TARGET_CLOSED = "target_closed"  # the target ended the shell or command
    TERMINATED = "terminated"  # an administrator stopped it
    IDLE = "idle"  # no traffic for the permitted time
    GRANT_EXPIRED = "grant_expired"  # an end date came: of the permission, of an action in use, of the person's account
    GRANT_WITHDRAWN = "grant_withdrawn"  # the permission was changed, switched off or deleted
    ACCOUNT_CLOSED = "account_closed"  # the person was disabled, deleted or signed out
    CANNOT_RECORD = "cannot_record"  # strict policy: no recording, no session
    UNREACHABLE = "unreachable"  # the target did not answer, or its name did not resolve
    CREDENTIAL_REFUSED = "credential_refused"  # the target did not take the stored credential
    HOST_KEY_REFUSED = "host_key_refused"  # the target showed another host key than the pinned one
    PROTOCOL_UNSUPPORTED = "protocol_unsupported"  # the proxy carries no such protocol, or not to where the person sits
    LIMIT = "limit"  # a protective limit was exceeded
    CONTROL_LOST = "control_lost"  # the control plane stayed away longer than the policy allows
    DRAINED = "drained"  # the proxy was shut down
    INTERRUPTED = "interrupted"  # the proxy died; set by the control plane when its lease ran out
    ERROR = "error"  # a fault of ours


class RecordingState(StrEnum):
    """State of a session's recording."""

    NONE = "none"  # nothing to record (no terminal), or never started
    RECORDING = "recording"
    SEALED = "sealed"  # complete, sealed and stored
    INCOMPLETE = "incomplete"  # recovered after a fault: sealed, but its end is missing
    LOST = "lost"  # could not be recovered


class CommandKind(StrEnum):
    """How a command entry was found (see docs on command detection)."""

    ECHO = "echo"  # read from the echoed screen line
    TYPED = "typed"  # plain keys whose text appeared in the output
    ALT = "alt"  # a line inside a full-screen program
    HIDDEN = "hidden"  # input without echo: only the time is kept, never the keys
    UNKNOWN = "unknown"  # the line could not be read
    EXEC = "exec"  # the command of an exec request


class RiskLevel(IntFlag):
    """Risk of a command (contract: commands.risk_level)."""

    ORDINARY = 0
    DANGEROUS = 5


class TransferDirection(StrEnum):
    """Direction of a file transfer, seen from the person."""

    UPLOAD = "upload"
    DOWNLOAD = "download"
    OTHER = "other"  # rename, remove, mkdir …


class HostKeyVerdict(StrEnum):
    """Answer of the control plane about a host key that a target showed."""

    PINNED = "pinned"  # first use: now remembered
    MATCH = "match"
    CHANGED = "changed"  # refuse


class DenialCode(StrEnum):
    """Why access was not given. Stable: shown with the message and written to the audit log."""

    BAD_CREDENTIALS = "bad_credentials"
    LOCKED = "locked"
    USER_INACTIVE = "user_inactive"
    USER_EXPIRED = "user_expired"
    PASSWORD_MUST_CHANGE = "password_must_change"  # noqa: S105 - a code, not a password
    METHOD_DISABLED = "method_disabled"
    MFA_FAILED = "mfa_failed"
    MFA_UNSET = "mfa_unset"
    NOTICE_UNCONFIRMED = "notice_unconfirmed"
    SIGN_IN_ENDED = "sign_in_ended"
    UNKNOWN_ASSET = "unknown_asset"
    AMBIGUOUS = "ambiguous"
    ASSET_INACTIVE = "asset_inactive"
    UNKNOWN_SYSTEM_USER = "unknown_system_user"
    NO_PERMISSION = "no_permission"
    PERMISSION_EXPIRED = "permission_expired"
    PERMISSION_INACTIVE = "permission_inactive"
    PROTOCOL_NOT_OFFERED = "protocol_not_offered"
    ACTION_NOT_PERMITTED = "action_not_permitted"
    TOKEN_UNKNOWN = "token_unknown"  # noqa: S105 - a code, not a token
    TOKEN_EXPIRED = "token_expired"  # noqa: S105 - a code, not a token
    TOKEN_USED = "token_used"  # noqa: S105 - a code, not a token
    PROXY_LIMITED = "proxy_limited"
    CREDENTIAL_MISSING = "credential_missing"
    SESSION_UNKNOWN = "session_unknown"
    CONTROL_UNAVAILABLE = "control_unavailable"


class RoleBits(IntFlag):
    """Permission bits (spec section 6)."""

    NONE = 0
    USE = 1
    AUDIT = 2
    ADMIN = 16
    SUPER = 128
