"""The mail server, and the text of the message to new users."""

from email.utils import parseaddr
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import Category, Kind, Preference, boolean, string

_SERVER: Final[dict[str, Any]] = {"category": Category.EMAIL, "section": _("Server")}
_ENCRYPTION: Final[dict[str, Any]] = {"category": Category.EMAIL, "section": _("Encryption")}
_SENDING: Final[dict[str, Any]] = {"category": Category.EMAIL, "section": _("Sender")}
_OTHER: Final[dict[str, Any]] = {"category": Category.EMAIL, "section": _("Test")}
_CONTENT: Final[dict[str, Any]] = {"category": Category.EMAIL_CONTENT, "section": _("Message to new users")}


def require_port(text: str) -> None:
    """Require a TCP port, as text (contract)."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise ValidationError(now("Enter a port number from 1 to 65535."))


def require_address(text: str) -> None:
    """Require a mail address, also as `Name <address>`."""
    try:
        validate_email(parseaddr(text)[1])
    except ValidationError:
        raise ValidationError(
            now("Enter a mail address such as ann@example.com, or Postern <ann@example.com>.")
        ) from None


DECLARED: Final = (
    string("EMAIL_HOST", _("SMTP host"), "", 1024, required=True, **_SERVER),
    string("EMAIL_PORT", _("SMTP port"), "465", 5, required=True, validators=(require_port,), **_SERVER),
    string("EMAIL_HOST_USER", _("SMTP account"), "", 128, required=True, **_SERVER),
    string("EMAIL_HOST_PASSWORD", _("SMTP password"), "", 1024, is_secret=True, **_SERVER),
    boolean(
        "EMAIL_USE_SSL",
        _("Use SSL"),
        default=True,
        help_text=_("TLS from the first byte, usually on port 465"),
        **_ENCRYPTION,
    ),
    boolean(
        "EMAIL_USE_TLS",
        _("Use TLS"),
        default=False,
        help_text=_("STARTTLS after the greeting, usually on port 587. SSL and TLS exclude each other"),
        **_ENCRYPTION,
    ),
    string(
        "EMAIL_FROM",
        _("Send user"),
        "",
        128,
        help_text=_("Address of the sender; empty: the SMTP account"),
        validators=(require_address,),
        **_SENDING,
    ),
    string("EMAIL_SUBJECT_PREFIX", _("Subject prefix"), "[Postern] ", 1024, required=True, **_SENDING),
    string(
        "EMAIL_RECIPIENT",
        _("Test recipient"),
        "",
        128,
        help_text=_("Empty: the address of the sender"),
        validators=(require_address,),
        **_OTHER,
    ),
    string("EMAIL_CUSTOM_USER_CREATED_SUBJECT", _("Create user email subject"), "", 1024, **_CONTENT),
    string("EMAIL_CUSTOM_USER_CREATED_HONORIFIC", _("Create user honorific"), "", 1024, **_CONTENT),
    Preference(
        name="EMAIL_CUSTOM_USER_CREATED_BODY",
        kind=Kind.TEXT,
        default="",
        label=_("Create user email content"),
        max_length=4096,
        **_CONTENT,
    ),
    string("EMAIL_CUSTOM_USER_CREATED_SIGNATURE", _("Signature"), "", 512, **_CONTENT),
)
