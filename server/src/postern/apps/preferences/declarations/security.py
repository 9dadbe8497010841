"""Security settings."""

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

_BASIC: Final[dict[str, Any]] = {"category": Category.SECURITY, "section": _("Basic")}
_SIGN_IN: Final[dict[str, Any]] = {"category": Category.SECURITY, "section": _("Sign-in")}
_SSO: Final[dict[str, Any]] = {"category": Category.SECURITY, "section": _("SSO links")}
_PASSWORDS: Final[dict[str, Any]] = {
    "category": Category.SECURITY,
    "section": _("Password rules"),
    "effect": Effect.NEXT_PASSWORD,
}
#: The ways of signing in on the sign-in page, by their names in settings. All providers of a kind are one way.
SIGN_IN_WAYS: Final = (
    ("password", _("Password of a local user")),
    ("ldap", _("Password of the LDAP directory")),
    ("passkey", _("Passkey without a password")),
    ("openid", "OpenID Connect"),
    ("saml", "SAML 2.0"),
    ("wecom", _("WeCom")),
    ("dingtalk", _("DingTalk")),
    ("feishu", _("FeiShu")),
)
_COMMANDS: Final[dict[str, Any]] = {"category": Category.SECURITY, "section": _("Insecure command alert")}
_LENGTHS: Final = (6, 30)

DECLARED: Final = (
    boolean("SECURITY_COMMAND_EXECUTION", _("Batch command execution"), default=True, is_public=True, **_BASIC),
    boolean(
        "SECURITY_SERVICE_ACCOUNT_REGISTRATION", _("Enable terminal register"), default=True, required=True, **_BASIC
    ),
    integer(
        "SECURITY_PROXY_CREDENTIALS_PER_MINUTE",
        _("Credentials per terminal and minute"),
        600,
        (10, 100_000),
        help_text=_("Further requests are refused, and the super administrators are notified"),
        **_BASIC,
    ),
    integer(
        "SECURITY_MAX_IDLE_TIME",
        _("Connection max idle time"),
        30,
        (1, MANY),
        is_public=True,
        effect=Effect.NEXT_SESSION,
        help_text=_("Minutes without traffic after which a session ends"),
        **_BASIC,
    ),
    boolean("SECURITY_WATERMARK_ENABLED", _("Replay watermark"), default=True, required=True, is_public=True, **_BASIC),
    Preference(
        name="SECURITY_MFA_AUTH",
        kind=Kind.CHOICE,
        default=0,
        label=_("Global MFA auth"),
        choices=((0, _("Disabled")), (1, _("All users")), (2, _("Only admin users"))),
        if_unusable=1,
        effect=Effect.NEXT_SIGN_IN,
        **_SIGN_IN,
    ),
    integer(
        "SECURITY_TRUSTED_BROWSER_DAYS",
        _("Days to trust a browser"),
        0,
        (0, 90),
        is_public=True,
        effect=Effect.NEXT_SIGN_IN,
        help_text=_(
            "For so many days after a second factor, people can sign in with the password alone in a browser that they "
            "trust; 0: never"
        ),
        **_SIGN_IN,
    ),
    boolean(
        "SECURITY_SSH_KEY_PIN",
        _("FIDO2 keys need their PIN"),
        default=False,
        if_unusable=True,
        effect=Effect.NEXT_SIGN_IN,
        help_text=_("SSH keys on security keys are accepted only if the key has asked for its PIN or a fingerprint"),
        **_SIGN_IN,
    ),
    integer(
        "SECURITY_LOGIN_LIMIT_COUNT", _("Limit the number of login failures"), 7, (3, MANY), required=True, **_SIGN_IN
    ),
    integer(
        "SECURITY_LOGIN_LIMIT_TIME",
        _("Block logon interval"),
        30,
        (5, MANY),
        required=True,
        help_text=_("Minutes for which a locked account or address stays locked"),
        **_SIGN_IN,
    ),
    boolean(
        "SECURITY_LOGIN_CAPTCHA_ENABLED",
        _("Browser check after failed sign-ins"),
        default=True,
        help_text=_(
            "In place of a captcha: for an hour after a failed sign-in for a name or from an address, and for every forgotten "
            "password, the browser calculates for about a second before the server goes on. Known browsers, the API and SSH "
            "are not asked"
        ),
        **_SIGN_IN,
    ),
    integer(
        "SECURITY_PASSWORD_EXPIRATION_TIME",
        _("User password expiration"),
        9999,
        (1, MANY),
        required=True,
        is_public=True,
        help_text=_("Days after which a password must be changed; 9999 or more means never"),
        **_SIGN_IN,
    ),
    integer(
        "OLD_PASSWORD_HISTORY_LIMIT_COUNT",
        _("Number of repeated historical passwords"),
        5,
        (0, MANY),
        required=True,
        is_public=True,
        **_SIGN_IN,
    ),
    Preference(
        name="SECURITY_SIGN_IN_WAYS",
        kind=Kind.ORDER,
        default=",".join(name for name, _label in SIGN_IN_WAYS),
        label=_("Ways of signing in"),
        choices=SIGN_IN_WAYS,
        is_public=True,
        effect=Effect.NEXT_SIGN_IN,
        help_text=_(
            "The order on the sign-in page. A way that is switched off here is refused everywhere, in the API and over SSH "
            "too. Directory and providers must be set up as well. On the server, postern user ways switches all ways on"
        ),
        **_SIGN_IN,
    ),
    boolean(
        "AUTH_SSO",
        _("SSO links"),
        default=False,
        help_text=_(
            "Other systems of the company ask the API for a link that signs a user in once. Whoever holds the key of such a "
            "system can come in as any local user who is no administrator or auditor"
        ),
        **_SSO,
    ),
    integer(
        "AUTH_SSO_AUTHKEY_TTL",
        _("Validity of an SSO link"),
        900,
        (30, 3600),
        help_text=_("Seconds in which a new link can be opened"),
        **_SSO,
    ),
    integer("SECURITY_PASSWORD_MIN_LENGTH", _("Password minimum length"), 12, _LENGTHS, required=True, **_PASSWORDS),
    integer(
        "SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH",
        _("Admin user password minimum length"),
        12,
        _LENGTHS,
        required=True,
        **_PASSWORDS,
    ),
    boolean("SECURITY_PASSWORD_UPPER_CASE", _("Must contain capital"), default=False, **_PASSWORDS),
    boolean("SECURITY_PASSWORD_LOWER_CASE", _("Must contain lowercase"), default=False, **_PASSWORDS),
    boolean("SECURITY_PASSWORD_NUMBER", _("Must contain numeric"), default=False, **_PASSWORDS),
    boolean("SECURITY_PASSWORD_SPECIAL_CHAR", _("Must contain special"), default=False, **_PASSWORDS),
    boolean("SECURITY_INSECURE_COMMAND", _("Insecure command alert"), default=False, is_dormant=True, **_COMMANDS),
    string("SECURITY_INSECURE_COMMAND_EMAIL_RECEIVER", _("Email recipient"), "", 8192, is_dormant=True, **_COMMANDS),
)
