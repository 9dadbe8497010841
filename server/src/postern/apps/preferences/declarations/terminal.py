"""Settings of terminals: the SSH front and the recordings."""

from typing import Any, Final

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

_FRONT: Final[dict[str, Any]] = {"category": Category.TERMINAL, "section": _("SSH front")}
_OTHER: Final[dict[str, Any]] = {"category": Category.TERMINAL, "section": _("Other")}

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
        **_OTHER,
    ),
    string("TERMINAL_RDP_ADDR", _("RDP address"), "", 1024, is_dormant=True, **_OTHER),
    integer("TERMINAL_HEARTBEAT_INTERVAL", _("Heartbeat interval"), 20, (5, 300)),
)
