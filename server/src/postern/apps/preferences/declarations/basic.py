"""The basic settings."""

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import Category, Kind, Preference, string

_BASIC: Final[dict[str, Any]] = {"category": Category.BASIC}

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
        **_BASIC,
    ),
    Preference(
        name="USER_GUIDE_URL",
        kind=Kind.URL,
        default=None,
        label=_("User guide URL"),
        max_length=1024,
        help_text=_("Your own guide; people see the link at their first sign-in"),
        **_BASIC,
    ),
    Preference(
        name="FORGOT_PASSWORD_URL",
        kind=Kind.URL,
        default=None,
        label=_("Forgot password URL"),
        max_length=1024,
        is_public=True,
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
