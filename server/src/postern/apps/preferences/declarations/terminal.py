"""Settings of terminals: the SSH front and the recordings."""

from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import (
    MANY,
    Category,
    Effect,
    Kind,
    Preference,
    boolean,
    integer,
    string,
)
from postern.kernel.ssh_keys.public_keys import MAX_KEYS, MAX_TEXT_CHARS, PublicKeyProblem, parse_public_keys
from postern.kernel.ssh_keys.revocations import MAX_TEXT_CHARS as MAX_REVOCATION_CHARS
from postern.kernel.ssh_keys.revocations import RevocationProblem, parse_revocations

_MAX_QUOTED_CHARS: Final = 80

_FRONT: Final[dict[str, Any]] = {"category": Category.TERMINAL, "section": _("SSH front")}
_CERTIFICATES: Final[dict[str, Any]] = {"category": Category.TERMINAL, "section": _("User certificates")}
_RETENTION: Final[dict[str, Any]] = {"category": Category.TERMINAL, "section": _("Retention")}
_OTHER: Final[dict[str, Any]] = {"category": Category.TERMINAL, "section": _("Other")}


def require_authorities(text: str) -> None:
    """Require public keys of authorities in OpenSSH format, one on each line."""
    try:
        parse_public_keys(text)
    except PublicKeyProblem as problem:
        if problem.reason == "too_many":
            raise ValidationError(now("Enter at most %(most)d authorities.") % {"most": MAX_KEYS}) from None
        raise ValidationError(
            now(
                "Enter public keys such as ssh-ed25519 AAAA…, one on each line: Ed25519, ECDSA, or RSA of 2048 to 4096 bits, "
                "without options before them."
            )
        ) from None


def require_revocations(text: str) -> None:
    """Require lines that `ssh-keygen -k` accepts."""
    try:
        parse_revocations(text)
    except RevocationProblem as problem:
        raise ValidationError(
            now(
                "Line %(line)d (%(text)s) revokes nothing. Examples: serial: 7, serial: 10-20, id: ann@example.com, "
                "hash: SHA256:…, ssh-ed25519 AAAA…"
            )
            % {"line": problem.line, "text": problem.text[:_MAX_QUOTED_CHARS]}
        ) from None


DECLARED: Final = (
    boolean("TERMINAL_PASSWORD_AUTH", _("Password auth"), default=True, effect=Effect.NEXT_SIGN_IN, **_FRONT),
    boolean("TERMINAL_PUBLIC_KEY_AUTH", _("Public key auth"), default=True, effect=Effect.NEXT_SIGN_IN, **_FRONT),
    boolean(
        "TERMINAL_CODE_AUTH",
        _("Codes from the console"),
        default=True,
        effect=Effect.NEXT_SIGN_IN,
        help_text=_("Users who are signed in with a browser get a code there, and enter it as the password over SSH"),
        **_FRONT,
    ),
    Preference(
        name="TERMINAL_USER_CA_KEYS",
        kind=Kind.TEXT,
        default="",
        label=_("Authorities of user certificates"),
        max_length=MAX_TEXT_CHARS,
        effect=Effect.NEXT_SIGN_IN,
        help_text=_(
            "Public keys of SSH authorities, one on each line. Whoever has a certificate of one of them signs in as the "
            "local user whom it names. Empty: certificates are refused"
        ),
        validators=(require_authorities,),
        **_CERTIFICATES,
    ),
    Preference(
        name="TERMINAL_REVOKED_CERTIFICATES",
        kind=Kind.TEXT,
        default="",
        label=_("Revoked certificates"),
        max_length=MAX_REVOCATION_CHARS,
        help_text=_(
            "One on each line, as for ssh-keygen -k: serial: 7, serial: 10-20, id: the key id, hash: SHA256:…, or a public "
            "key. Sessions of revoked certificates end"
        ),
        validators=(require_revocations,),
        **_CERTIFICATES,
    ),
    Preference(
        name="TERMINAL_ASSET_LIST_SORT_BY",
        kind=Kind.CHOICE,
        default="hostname",
        label=_("List sort by"),
        choices=(("hostname", _("Hostname")), ("ip", _("IP"))),
        **_FRONT,
    ),
    Preference(
        name="TERMINAL_ASSET_LIST_PAGE_SIZE",
        kind=Kind.CHOICE,
        default="auto",
        label=_("List page size"),
        choices=(("all", _("All")), ("auto", _("Auto")), ("10", "10"), ("15", "15"), ("25", "25"), ("50", "50")),
        **_FRONT,
    ),
    string("TERMINAL_TELNET_REGEX", _("Telnet login regex"), "", 1024, is_dormant=True, **_FRONT),
    integer(
        "TERMINAL_SESSION_KEEP_DURATION",
        _("Session keep duration"),
        200,
        (1, MANY),
        required=True,
        help_text=_("Days after which sessions, commands and recordings are deleted"),
        **_RETENTION,
    ),
    integer(
        "TERMINAL_RISK_KEEP_DURATION",
        _("Keep duration of dangerous sessions"),
        0,
        (0, MANY),
        help_text=_(
            "Days for sessions with dangerous or refused commands, or with commands that a reviewer decided on. They are "
            "never kept for a shorter time than others. 0: as the others"
        ),
        **_RETENTION,
    ),
    integer(
        "TERMINAL_ORG_KEEP_SHORTEST",
        _("Shortest keep duration of an organization"),
        0,
        (0, MANY),
        help_text=_(
            "Days. Administrators of an organization cannot choose fewer. 0: not fewer than the session keep duration"
        ),
        **_RETENTION,
    ),
    integer(
        "TERMINAL_ORG_KEEP_LONGEST",
        _("Longest keep duration of an organization"),
        0,
        (0, MANY),
        help_text=_(
            "Days. Administrators of an organization cannot choose more. 0: not more than the session keep duration"
        ),
        **_RETENTION,
    ),
    integer(
        "TERMINAL_LOCAL_RECORDINGS_LIMIT",
        _("Size limit of recordings on this server"),
        0,
        (0, MANY),
        help_text=_(
            "GiB. Above it the oldest sessions with a recording on this server are deleted before their days are over. "
            "Sessions with dangerous or refused commands, or with a reviewer's decision, are not: they stay for the keep "
            "duration of dangerous sessions or that of their organization, whichever is longer. 0: no limit"
        ),
        **_RETENTION,
    ),
    integer(
        "TERMINAL_LOCAL_RECORDINGS_MIN_AGE",
        _("Minimum age for the size limit"),
        30,
        (1, MANY),
        required=True,
        help_text=_("Days. The size limit deletes no session that ended later"),
        **_RETENTION,
    ),
    boolean(
        "TERMINAL_SEARCH_RECORDINGS",
        _("Search inside recordings"),
        default=True,
        is_public=True,
        help_text=_(
            "What was on the screen is indexed, so that auditors can search it. Off: nothing is indexed, and the index is "
            "deleted"
        ),
        **_OTHER,
    ),
    string("TERMINAL_RDP_ADDR", _("RDP address"), "", 1024, is_dormant=True, **_OTHER),
    # In no form. Several heartbeats must fit into the lease of a terminal. The contract has 20 by default; what was revoked
    # while the control channel was lost would go on for that long.
    integer(
        "TERMINAL_HEARTBEAT_INTERVAL",
        _("Heartbeat interval"),
        5,
        (1, 20),
        help_text=_("Seconds between two heartbeats of a terminal"),
    ),
)
