"""The basic settings."""

from typing import Any, Final
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import Category, Kind, Preference, string
from postern.foundation.rest.text import refuse_disguises

_BASIC: Final[dict[str, Any]] = {"category": Category.BASIC}


def require_console_address(text: str) -> None:
    """Require an address that can be the beginning of links."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return  # the validation of the setting's kind refuses it
    if "?" in text or "#" in text or "@" in parts.netloc:
        raise ValidationError(
            now("Enter only the address of the console, such as https://postern.example.com: links add the rest.")
        )


DECLARED: Final = (
    Preference(
        name="SITE_URL",
        kind=Kind.URL,
        default="http://localhost:8080",
        derived=lambda installation: installation.console_url,
        label=_("Site URL"),
        required=True,
        max_length=1024,
        help_text=_("Address under which people open the console; links in messages start with it"),
        validators=(refuse_disguises, require_console_address),
        **_BASIC,
    ),
    Preference(
        name="USER_GUIDE_URL",
        kind=Kind.URL,
        default=None,
        label=_("User guide URL"),
        max_length=1024,
        help_text=_("Your own guide; people see the link at their first sign-in"),
        validators=(refuse_disguises,),
        **_BASIC,
    ),
    Preference(
        name="FORGOT_PASSWORD_URL",
        kind=Kind.URL,
        default=None,
        label=_("Forgot password URL"),
        max_length=1024,
        is_public=True,
        validators=(refuse_disguises,),
        help_text=_(
            "Page to which “Forgot password” on the sign-in page leads; empty: a page of Postern, while mail is set up"
        ),
        **_BASIC,
    ),
    string(
        "GLOBAL_ORG_DISPLAY_NAME",
        _("Global organization name"),
        None,
        1024,
        help_text=_("Shown instead of “Global organization”"),
        **_BASIC,
    ),
)
