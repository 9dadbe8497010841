"""Settings of the syslog receiver of the audit log."""

import ssl
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import Category, Kind, Preference, boolean, integer, string

_RECEIVER: Final[dict[str, Any]] = {"category": Category.SYSLOG, "section": _("Receiver")}
_MESSAGE: Final[dict[str, Any]] = {"category": Category.SYSLOG, "section": _("Messages")}
#: Facilities that a receiver may write to a separate log (RFC 5424, table 1).
_FACILITIES: Final = (
    (13, "log audit (13)"),
    (10, "authpriv (10)"),
    (4, "auth (4)"),
    *((16 + number, f"local{number} ({16 + number})") for number in range(8)),
)


def require_certificates(text: str) -> None:
    """Require one or more certificates in PEM format."""
    try:
        ssl.create_default_context(cadata=text)
    except (ssl.SSLError, ValueError):
        raise ValidationError(now("Enter certificates as PEM text: -----BEGIN CERTIFICATE----- and so on.")) from None


def require_host(text: str) -> None:
    """Require a host name or an address, without scheme and port."""
    if "/" in text or " " in text or "@" in text or text.startswith("["):
        raise ValidationError(now("Enter a host name or an address, without scheme and port."))


def require_app_name(text: str) -> None:
    """Require printable ASCII without blanks (RFC 5424, APP-NAME)."""
    if not all("!" <= char <= "~" for char in text):
        raise ValidationError(now("Enter ASCII characters without blanks."))


DECLARED: Final = (
    boolean(
        "SYSLOG_ENABLED",
        _("Send the audit log"),
        default=False,
        help_text=_("Every audit event of all organizations, from now on"),
        **_RECEIVER,
    ),
    string("SYSLOG_HOST", _("Host"), "", 255, validators=(require_host,), **_RECEIVER),
    integer("SYSLOG_PORT", _("Port"), 6514, (1, 65535), **_RECEIVER),
    Preference(
        name="SYSLOG_TRANSPORT",
        kind=Kind.CHOICE,
        default="tls",
        label=_("Transport"),
        choices=(
            ("tls", _("TLS")),
            ("tcp", _("TCP, not encrypted")),
            ("udp", _("UDP, not encrypted, may lose events")),
        ),
        **_RECEIVER,
    ),
    Preference(
        name="SYSLOG_CA",
        kind=Kind.TEXT,
        default="",
        label=_("CA certificate"),
        max_length=65_536,
        help_text=_("PEM text of the authority of the receiver's certificate; empty: those that this machine trusts"),
        validators=(require_certificates,),
        **_RECEIVER,
    ),
    Preference(
        name="SYSLOG_FACILITY",
        kind=Kind.CHOICE,
        default=13,
        label=_("Facility"),
        choices=_FACILITIES,
        **_MESSAGE,
    ),
    string("SYSLOG_APP_NAME", _("App name"), "postern", 48, validators=(require_app_name,), **_MESSAGE),
)
