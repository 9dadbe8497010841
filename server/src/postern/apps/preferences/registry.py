"""The registry of settings that administrators change: name, type, default, limits, category (contract: settings)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.foundation.settings import Settings

Text = str | Promise
Value = bool | int | str | None


class Category(StrEnum):
    """Groups of the settings screen."""

    BASIC = "basic"
    TERMINAL = "terminal"
    SECURITY = "security"


class Kind(StrEnum):
    BOOLEAN = "boolean"
    INTEGER = "integer"
    STRING = "string"
    URL = "url"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """One setting. `category` None: not in any form. `is_public`: readable before sign-in."""

    name: str
    kind: Kind
    default: Value
    label: Text
    #: Instead of `default`, for values that follow from the settings of the installation.
    derived: Callable[[Settings], Value] | None = None
    category: Category | None = None
    required: bool = False
    min_value: int | None = None
    max_value: int | None = None
    max_length: int | None = None
    choices: tuple[tuple[str | int, Text], ...] = ()
    help_text: Text = ""
    is_public: bool = False

    def unset(self) -> Value:
        """The value while no administrator has set one."""
        return self.default if self.derived is None else self.derived(settings.POSTERN)


def _boolean(name: str, label: Text, *, default: bool, **more: Any) -> Preference:
    return Preference(name=name, kind=Kind.BOOLEAN, default=default, label=label, **more)


def _integer(name: str, label: Text, default: int, limits: tuple[int, int], **more: Any) -> Preference:
    low, high = limits
    return Preference(name=name, kind=Kind.INTEGER, default=default, label=label, min_value=low, max_value=high, **more)


_MANY: Final = 99_999
_BASIC: Final[dict[str, Any]] = {"category": Category.BASIC}
_TERMINAL: Final[dict[str, Any]] = {"category": Category.TERMINAL}
_SECURITY: Final[dict[str, Any]] = {"category": Category.SECURITY}

_ALL: Final = (
    Preference(
        name="SITE_URL",
        kind=Kind.URL,
        default="http://localhost:8080",
        derived=lambda installation: installation.console_url,
        label=_("Site URL"),
        required=True,
        max_length=1024,
        **_BASIC,
    ),
    Preference(
        name="USER_GUIDE_URL", kind=Kind.URL, default=None, label=_("User guide URL"), max_length=1024, **_BASIC
    ),
    Preference(
        name="FORGOT_PASSWORD_URL",
        kind=Kind.URL,
        default=None,
        label=_("Forgot password URL"),
        max_length=1024,
        **_BASIC,
    ),
    Preference(
        name="GLOBAL_ORG_DISPLAY_NAME",
        kind=Kind.STRING,
        default=None,
        label=_("Global organization name"),
        max_length=1024,
        **_BASIC,
    ),
    _boolean("TERMINAL_PASSWORD_AUTH", _("Password auth"), default=True, **_TERMINAL),
    _boolean("TERMINAL_PUBLIC_KEY_AUTH", _("Public key auth"), default=True, **_TERMINAL),
    Preference(
        name="TERMINAL_ASSET_LIST_SORT_BY",
        kind=Kind.CHOICE,
        default="hostname",
        label=_("List sort by"),
        choices=(("hostname", _("Hostname")), ("ip", _("IP"))),
        **_TERMINAL,
    ),
    Preference(
        name="TERMINAL_ASSET_LIST_PAGE_SIZE",
        kind=Kind.CHOICE,
        default="auto",
        label=_("List page size"),
        choices=(("all", _("All")), ("auto", _("Auto")), ("10", "10"), ("15", "15"), ("25", "25"), ("50", "50")),
        **_TERMINAL,
    ),
    _integer(
        "TERMINAL_SESSION_KEEP_DURATION",
        _("Session keep duration"),
        200,
        (1, _MANY),
        required=True,
        help_text=_("Days after which sessions, commands and recordings are deleted"),
        **_TERMINAL,
    ),
    Preference(
        name="TERMINAL_TELNET_REGEX",
        kind=Kind.STRING,
        default="",
        label=_("Telnet login regex"),
        max_length=1024,
        **_TERMINAL,
    ),
    Preference(
        name="TERMINAL_RDP_ADDR", kind=Kind.STRING, default="", label=_("RDP address"), max_length=1024, **_TERMINAL
    ),
    _integer("TERMINAL_HEARTBEAT_INTERVAL", _("Heartbeat interval"), 20, (5, 300)),
    Preference(
        name="SECURITY_MFA_AUTH",
        kind=Kind.CHOICE,
        default=0,
        label=_("Global MFA auth"),
        choices=((0, _("Disable")), (1, _("All users")), (2, _("Only admin users"))),
        **_SECURITY,
    ),
    _boolean("SECURITY_COMMAND_EXECUTION", _("Batch command execution"), default=True, is_public=True, **_SECURITY),
    _boolean(
        "SECURITY_SERVICE_ACCOUNT_REGISTRATION", _("Enable terminal register"), default=True, required=True, **_SECURITY
    ),
    _integer(
        "SECURITY_PROXY_CREDENTIALS_PER_MINUTE",
        _("Credentials per terminal and minute"),
        600,
        (10, 100_000),
        help_text=_("Further requests are refused, and the super administrators are notified"),
        **_SECURITY,
    ),
    _boolean(
        "SECURITY_WATERMARK_ENABLED", _("Replay watermark"), default=True, required=True, is_public=True, **_SECURITY
    ),
    _integer(
        "SECURITY_LOGIN_LIMIT_COUNT", _("Limit the number of login failures"), 7, (3, _MANY), required=True, **_SECURITY
    ),
    _integer(
        "SECURITY_LOGIN_LIMIT_TIME",
        _("Block logon interval"),
        30,
        (5, _MANY),
        required=True,
        help_text=_("Minutes for which a locked account or address stays locked"),
        **_SECURITY,
    ),
    _integer(
        "SECURITY_MAX_IDLE_TIME",
        _("Connection max idle time"),
        30,
        (1, _MANY),
        is_public=True,
        help_text=_("Minutes without traffic after which a session ends"),
        **_SECURITY,
    ),
    _integer(
        "SECURITY_PASSWORD_EXPIRATION_TIME",
        _("User password expiration"),
        9999,
        (1, _MANY),
        required=True,
        is_public=True,
        help_text=_("Days after which a password must be changed; 9999 or more means never"),
        **_SECURITY,
    ),
    _integer(
        "OLD_PASSWORD_HISTORY_LIMIT_COUNT",
        _("Number of repeated historical passwords"),
        5,
        (0, _MANY),
        required=True,
        is_public=True,
        **_SECURITY,
    ),
    _integer("SECURITY_PASSWORD_MIN_LENGTH", _("Password minimum length"), 12, (6, 30), required=True, **_SECURITY),
    _integer(
        "SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH",
        _("Admin user password minimum length"),
        12,
        (6, 30),
        required=True,
        **_SECURITY,
    ),
    _boolean("SECURITY_PASSWORD_UPPER_CASE", _("Must contain capital"), default=False, **_SECURITY),
    _boolean("SECURITY_PASSWORD_LOWER_CASE", _("Must contain lowercase"), default=False, **_SECURITY),
    _boolean("SECURITY_PASSWORD_NUMBER", _("Must contain numeric"), default=False, **_SECURITY),
    _boolean("SECURITY_PASSWORD_SPECIAL_CHAR", _("Must contain special"), default=False, **_SECURITY),
    _boolean("SECURITY_INSECURE_COMMAND", _("Insecure command alert"), default=False, **_SECURITY),
    Preference(
        name="SECURITY_INSECURE_COMMAND_EMAIL_RECEIVER",
        kind=Kind.STRING,
        default="",
        label=_("Email recipient"),
        max_length=8192,
        **_SECURITY,
    ),
    # Public settings that no form of this release changes. Off until the product has tickets; otherwise the console
    # would offer a missing feature.
    _boolean("TICKETS_ENABLED", _("Tickets"), default=False, is_public=True),
    _boolean("LOGIN_CONFIRM_ENABLE", _("Login confirmation"), default=False, is_public=True),
    _boolean("SECURITY_VIEW_AUTH_NEED_MFA", _("MFA to view secrets"), default=True, is_public=True),
    _integer("SECURITY_MFA_VERIFY_TTL", _("MFA verification lifetime"), 3600, (60, 86_400), is_public=True),
    _boolean("SECURITY_LUNA_REMEMBER_AUTH", _("Remember manual credentials"), default=True, is_public=True),
    _boolean("WINDOWS_SKIP_ALL_MANUAL_PASSWORD", _("Skip manual passwords"), default=False, is_public=True),
    _boolean("AUTH_WECOM", _("Enable WeCom Auth"), default=False, is_public=True),
    _boolean("AUTH_DINGTALK", _("Enable DingTalk Auth"), default=False, is_public=True),
    _boolean("AUTH_FEISHU", _("Enable FeiShu Auth"), default=False, is_public=True),
)

REGISTRY: Final[Mapping[str, Preference]] = MappingProxyType({one.name: one for one in _ALL})

#: Password rules that the sign-in and profile pages show.
PASSWORD_RULES: Final = (
    "SECURITY_PASSWORD_MIN_LENGTH",
    "SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH",
    "SECURITY_PASSWORD_UPPER_CASE",
    "SECURITY_PASSWORD_LOWER_CASE",
    "SECURITY_PASSWORD_NUMBER",
    "SECURITY_PASSWORD_SPECIAL_CHAR",
)


def of_category(category: Category | None) -> tuple[Preference, ...]:
    """The settings of one form, in its order; None: the settings of all forms."""
    return tuple(one for one in _ALL if (one.category is not None if category is None else one.category is category))
