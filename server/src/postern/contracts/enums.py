"""Closed enums shared by both planes, the API and the console. Values are stored and sent, so they must not change."""

from enum import IntFlag, StrEnum
from typing import Final


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
    #: For jobs on Windows hosts. Nobody opens a session with it.
    WINRM = "winrm"


#: Protocols of sessions, and of the system users that they use.
SESSION_PROTOCOLS: Final = tuple(protocol for protocol in Protocol if protocol is not Protocol.WINRM)


class LoginFrom(StrEnum):
    """The kind of front through which the person connected (contract: sessions.login_from)."""

    SSH_TERMINAL = "ST"
    RDP_TERMINAL = "RT"
    WEB_TERMINAL = "WT"


class SignInMethod(StrEnum):
    """How a person authenticated."""

    PASSWORD = "password"  # noqa: S105 - the name of a method, not a password
    PUBLIC_KEY = "publickey"


class Actions(IntFlag):
    """Action bits of a permission (contract: perms, "Action bits").

    `ALL` is what the name `all` has always stood for, with its unused bits. Later actions have bits above it: a
    permission with `all` must not give more after an upgrade.
    """

    NONE = 0
    CONNECT = 1
    UPLOAD_FILE = 2
    DOWNLOAD_FILE = 4
    UPDOWNLOAD = 6
    CLIPBOARD_COPY = 8
    CLIPBOARD_PASTE = 16
    CLIPBOARD_COPY_PASTE = 24
    ALL = 255
    FORWARD = 256
    EVERY = 511


class SessionState(StrEnum):
    """State of a session: opening → active → ended.

    States never go back, with one exception. A session is presumed `interrupted` when its proxy was silent for a whole
    lease. It becomes active again when the proxy reports that it never ended.
    """

    OPENING = "opening"
    ACTIVE = "active"
    ENDED = "ended"


class EndReason(StrEnum):
    """Why a session ended. Exactly one for each ended session."""

    USER_CLOSED = "user_closed"  # the person left, or their connection was lost
    TARGET_CLOSED = "target_closed"  # the target ended the shell or command
    TERMINATED = "terminated"  # an administrator stopped it
    IDLE = "idle"  # no traffic for the permitted time
    # an end date was reached: of the permission, of an action in use, or of the person's account
    GRANT_EXPIRED = "grant_expired"
    GRANT_WITHDRAWN = "grant_withdrawn"  # the permission was changed, switched off or deleted
    ACCOUNT_CLOSED = "account_closed"  # the person was disabled, deleted or signed out
    CANNOT_RECORD = "cannot_record"  # strict recording policy: the session could not be recorded
    UNREACHABLE = "unreachable"  # the target did not answer, or its name did not resolve
    CREDENTIAL_REFUSED = "credential_refused"  # the target rejected the stored credential
    HOST_KEY_REFUSED = "host_key_refused"  # the target presented another host key than the pinned one
    # the proxy does not support the protocol, or not for this kind of client
    PROTOCOL_UNSUPPORTED = "protocol_unsupported"
    LIMIT = "limit"  # a protective limit was exceeded
    CONTROL_LOST = "control_lost"  # the control plane was unavailable for longer than the policy allows
    DRAINED = "drained"  # the proxy was shut down
    INTERRUPTED = "interrupted"  # the proxy died; set by the control plane after its lease
    ERROR = "error"  # an internal error


class RecordingState(StrEnum):
    """State of a session's recording."""

    NONE = "none"  # nothing to record (no terminal), or never started
    RECORDING = "recording"
    SEALED = "sealed"  # complete, sealed and stored
    INCOMPLETE = "incomplete"  # recovered after a failure: sealed, but the end is missing
    LOST = "lost"  # could not be recovered


class CommandKind(StrEnum):
    """How a command was detected (docs/reference/command-detection.md)."""

    ECHO = "echo"  # read from the echoed screen line
    TYPED = "typed"  # typed keys whose text appeared in the output
    ALT = "alt"  # a line inside a full-screen program
    HIDDEN = "hidden"  # input without echo: only the time is stored, never the keys
    UNKNOWN = "unknown"  # the line could not be read
    EXEC = "exec"  # the command of an exec request


class RiskLevel(IntFlag):
    """Risk of a command (contract: commands.risk_level)."""

    ORDINARY = 0
    DANGEROUS = 5


class TransferDirection(StrEnum):
    """Direction of a file transfer from the person's point of view."""

    UPLOAD = "upload"
    DOWNLOAD = "download"
    OTHER = "other"  # rename, remove, mkdir …


class HostKeyVerdict(StrEnum):
    """Verdict of the control plane on a host key that a target presented."""

    PINNED = "pinned"  # first use: the key is stored now
    MATCH = "match"
    CHANGED = "changed"  # refuse


class DenialCode(StrEnum):
    """Why access was denied. Stable: shown with the message and written to the audit log."""

    BAD_CREDENTIALS = "bad_credentials"
    LOCKED = "locked"
    USER_INACTIVE = "user_inactive"
    USER_EXPIRED = "user_expired"
    PASSWORD_MUST_CHANGE = "password_must_change"  # noqa: S105 - a code, not a password
    METHOD_DISABLED = "method_disabled"
    MFA_FAILED = "mfa_failed"
    MFA_UNSET = "mfa_unset"
    NOTICE_UNCONFIRMED = "notice_unconfirmed"
    NOT_ADMITTED = "not_admitted"
    SIGN_IN_ENDED = "sign_in_ended"
    UNKNOWN_ASSET = "unknown_asset"
    UNKNOWN_APPLICATION = "unknown_application"
    LICENCE_MISSING = "licence_missing"
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
    SECRET_STORE_UNAVAILABLE = "secret_store_unavailable"  # noqa: S105 - a code, not a secret
    SESSION_UNKNOWN = "session_unknown"
    CONTROL_UNAVAILABLE = "control_unavailable"


class RoleBits(IntFlag):
    """Permission bits (spec section 6)."""

    NONE = 0
    USE = 1
    AUDIT = 2
    ADMIN = 16
    SUPER = 128
