"""Settings of the LDAP directory: search, sign-in and synchronisation."""

import json
import re
from typing import Any, Final

from cryptography import x509
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import (
    Category,
    Effect,
    Kind,
    Preference,
    boolean,
    integer,
    string,
)
from postern.integrations.directory.filters import USER, WrongFilter, parsed
from postern.integrations.directory.server import address_in

#: Fields of a user that the attribute map may contain.
MAPPED: Final = ("username", "name", "email", "phone", "wechat", "comment")
_REQUIRED: Final = MAPPED[:2]
_ATTRIBUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9;-]{0,63}")

_SERVER: Final[dict[str, Any]] = {"category": Category.LDAP, "section": _("Server")}
_PEOPLE: Final[dict[str, Any]] = {"category": Category.LDAP, "section": _("Users of the directory")}
_SIGN_IN: Final[dict[str, Any]] = {
    "category": Category.LDAP,
    "section": _("Sign-in"),
    "effect": Effect.NEXT_SIGN_IN,
}
_SYNC: Final[dict[str, Any]] = {"category": Category.LDAP, "section": _("Synchronisation")}


def require_uri(text: str) -> None:
    """Require `ldap://` or `ldaps://`, a host, and optionally a port."""
    if address_in(text) is None:
        raise ValidationError(now("Enter an address such as ldaps://dc1.example.com or ldap://dc1.example.com:389."))


def require_filter(text: str) -> None:
    """Require a filter for the person who signs in."""
    _require_readable(text)
    if not parsed(text).names:
        raise ValidationError(
            now("The filter must contain %(user)s, which is replaced with the login name. Example: (uid=%(user)s).")
            % {"user": USER}
        )


def require_group_filter(text: str) -> None:
    """Require a filter for groups, without a login name."""
    _require_readable(text)
    if parsed(text).names:
        raise ValidationError(now("The filter for groups has no place for a login name. Example: (cn=postern-*)."))


def _require_readable(text: str) -> None:
    try:
        parsed(text)
    except WrongFilter as error:
        raise ValidationError(error.message) from None


def require_certificates(text: str) -> None:
    """Require one or more certificates in PEM format."""
    try:
        x509.load_pem_x509_certificates(text.encode())
    except ValueError:
        raise ValidationError(
            now("Paste the certificate of the authority in PEM format, with the lines BEGIN and END CERTIFICATE.")
        ) from None


def attribute_map(text: str) -> dict[str, str]:
    """Parse the attribute map from JSON: field of a user → attribute of the directory. Raises ValidationError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise ValidationError(now('Enter a JSON object, such as {"username": "uid", "name": "cn"}.')) from None
    if not isinstance(value, dict):
        raise ValidationError(now('Enter a JSON object, such as {"username": "uid", "name": "cn"}.'))
    unknown = sorted(name for name in value if name not in MAPPED)
    if unknown:
        raise ValidationError(
            now("%(names)s cannot be taken from the directory. Possible fields: %(fields)s.")
            % {"names": ", ".join(unknown)[:200], "fields": ", ".join(MAPPED)}
        )
    missing = [name for name in _REQUIRED if not value.get(name)]
    if missing:
        raise ValidationError(now("The map must contain %(names)s.") % {"names": ", ".join(missing)})
    wrong = [name for name, attribute in value.items() if not _is_attribute(attribute)]
    if wrong:
        raise ValidationError(
            now("%(names)s must name an attribute of the directory, such as mail.") % {"names": ", ".join(wrong)}
        )
    return value


def _is_attribute(value: object) -> bool:
    return isinstance(value, str) and bool(_ATTRIBUTE.fullmatch(value))


def require_map(text: str) -> None:
    """Require a map of fields to attributes, as JSON."""
    attribute_map(text)


DECLARED: Final = (
    string(
        "AUTH_LDAP_SERVER_URI",
        _("LDAP server"),
        "ldap://localhost:389",
        1024,
        required=True,
        help_text=_("ldaps://host, or ldap://host with StartTLS. Without encryption only on this machine"),
        validators=(require_uri,),
        **_SERVER,
    ),
    boolean(
        "AUTH_LDAP_START_TLS",
        _("Use StartTLS"),
        default=False,
        help_text=_("Encrypts ldap:// before anything else is sent"),
        **_SERVER,
    ),
    Preference(
        name="AUTH_LDAP_CA_CERTIFICATE",
        kind=Kind.TEXT,
        default="",
        label=_("Certificate of the authority"),
        max_length=65_536,
        help_text=_("PEM. Empty: the authorities that this machine trusts"),
        validators=(require_certificates,),
        **_SERVER,
    ),
    string("AUTH_LDAP_BIND_DN", _("Bind DN"), "", 1024, help_text=_("Empty: anonymous search"), **_SERVER),
    string("AUTH_LDAP_BIND_PASSWORD", _("Password"), "", 1024, is_secret=True, **_SERVER),
    string(
        "AUTH_LDAP_SEARCH_OU",
        _("User OU"),
        "",
        1024,
        help_text=_("Search base, such as ou=staff,dc=example,dc=com. Separate several with |"),
        **_PEOPLE,
    ),
    string(
        "AUTH_LDAP_SEARCH_FILTER",
        _("User search filter"),
        "(cn=%(user)s)",
        1024,
        required=True,
        help_text=_("Active Directory: (&(objectCategory=person)(sAMAccountName=%(user)s))"),
        validators=(require_filter,),
        **_PEOPLE,
    ),
    Preference(
        name="AUTH_LDAP_USER_ATTR_MAP",
        kind=Kind.MAPPING,
        default=json.dumps({"username": "cn", "name": "sn", "email": "mail"}),
        label=_("User attr map"),
        required=True,
        max_length=2048,
        help_text=_(
            "JSON: field of the user, and attribute of the directory. Fields: username, name, email, phone, wechat, comment"
        ),
        validators=(require_map,),
        **_PEOPLE,
    ),
    string(
        "AUTH_LDAP_GROUP_BASE",
        _("Group OU"),
        "",
        1024,
        help_text=_(
            "Search base of groups. Only people in a group below it, also through other groups, are users. Empty: everybody"
        ),
        **_PEOPLE,
    ),
    string(
        "AUTH_LDAP_GROUP_FILTER",
        _("Group filter"),
        "",
        1024,
        help_text=_("Such as (cn=postern-users). Empty: every group below the group OU"),
        validators=(require_group_filter,),
        **_PEOPLE,
    ),
    boolean("AUTH_LDAP", _("Enable LDAP auth"), default=False, **_SIGN_IN),
    boolean(
        "AUTH_LDAP_CREATE_AT_SIGN_IN",
        _("Create users at their first sign-in"),
        default=False,
        help_text=_(
            "Off: only imported people can sign in. On: everybody whom the search finds, with the role User in the default organization"
        ),
        **_SIGN_IN,
    ),
    boolean(
        "AUTH_LDAP_SYNC",
        _("Synchronise regularly"),
        default=False,
        help_text=_("Reads the directory again, and updates names and mail addresses of imported people"),
        **_SYNC,
    ),
    integer(
        "AUTH_LDAP_SYNC_INTERVAL",
        _("Interval"),
        60,
        (5, 10_080),
        help_text=_("Minutes between two readings"),
        **_SYNC,
    ),
    Preference(
        name="AUTH_LDAP_LEAVERS",
        kind=Kind.CHOICE,
        default="disable",
        label=_("People who have left the directory"),
        choices=(("disable", _("Disable")), ("keep", _("Leave unchanged"))),
        help_text=_(
            "Nobody is disabled when the directory answers with an error, with nobody, or with over 10 % fewer people. Nobody is ever deleted"
        ),
        **_SYNC,
    ),
)
