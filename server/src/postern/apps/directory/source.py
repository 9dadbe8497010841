"""The directory of the settings: server, search bases, filters, and the attribute of each field."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.directory.errors import NotUsable
from postern.apps.preferences import facade as preferences
from postern.foundation.phrases import Phrase
from postern.integrations.directory.filters import Filter, parsed
from postern.integrations.directory.server import DirectoryServer, Encryption, address_in
from postern.kernel.secret import Secret

PASSWORD: Final = "AUTH_LDAP_BIND_PASSWORD"  # noqa: S105 - the name of a setting
#: The stored password is sent only to the server and DN of these settings.
ADDRESSEE: Final = ("AUTH_LDAP_SERVER_URI", "AUTH_LDAP_BIND_DN")
NAMES: Final = (
    *ADDRESSEE,
    "AUTH_LDAP_START_TLS",
    "AUTH_LDAP_CA_CERTIFICATE",
    "AUTH_LDAP_SEARCH_OU",
    "AUTH_LDAP_SEARCH_FILTER",
    "AUTH_LDAP_USER_ATTR_MAP",
    "AUTH_LDAP_GROUP_BASE",
    "AUTH_LDAP_GROUP_FILTER",
)
_BASES: Final = "|"
# Phrases, because a failed reading stores its reason, which is shown in the language of the reader.
_NO_SERVER: Final = Phrase("directory.server_wanted", _("Enter the address of the LDAP server."))
_NO_PASSWORD: Final = Phrase(
    "directory.password_wanted", _("Enter the password of the bind DN. Without both, the search is anonymous.")
)
_NO_BASE: Final = Phrase(
    "directory.base_wanted", _("Enter the search base in User OU, such as ou=staff,dc=example,dc=com.")
)
#: All classes of groups: OpenLDAP, Active Directory, POSIX.
_ALL_GROUPS: Final = (
    "(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=group)(objectClass=posixGroup))"
)


@dataclass(frozen=True, slots=True)
class Source:
    """Server, bases, filters and attributes of a reading. `group_base` empty: membership in groups is not checked."""

    server: DirectoryServer
    bases: tuple[str, ...]
    filter: Filter
    attributes: Mapping[str, str]
    group_base: str
    group_filter: Filter
    digest: str


def stored_source() -> Source:
    """The directory of the stored settings. Reads the password, so only processes with the key file can call it.

    Raises NotUsable.
    """
    values = preferences.get_many(*NAMES)
    return source_of(values, preferences.get_secret(PASSWORD))


def is_configured() -> bool:
    """Whether an administrator has entered a server."""
    return preferences.is_set("AUTH_LDAP_SERVER_URI") or preferences.is_set("AUTH_LDAP_SEARCH_OU")


def digest_of(values: Mapping[str, object]) -> str:
    """Hash of the settings that select the people of a reading."""
    return hashlib.sha256(repr(sorted((name, str(values[name])) for name in NAMES)).encode()).hexdigest()


def source_of(values: Mapping[str, object], password: Secret | None) -> Source:
    """The directory with these values, which were validated one by one. Raises NotUsable."""
    address = address_in(str(values["AUTH_LDAP_SERVER_URI"]))
    if address is None:
        raise NotUsable(_NO_SERVER.say())
    scheme, host, port = address
    encryption = Encryption.NONE
    if scheme == "ldaps":
        encryption = Encryption.TLS
    elif values["AUTH_LDAP_START_TLS"]:
        encryption = Encryption.STARTTLS
    bind_dn = str(values["AUTH_LDAP_BIND_DN"]).strip()
    if bind_dn and (password is None or not password.reveal()):
        raise NotUsable(_NO_PASSWORD.say())
    bases = tuple(base.strip() for base in str(values["AUTH_LDAP_SEARCH_OU"]).split(_BASES) if base.strip())
    if not bases:
        raise NotUsable(_NO_BASE.say())
    server = DirectoryServer(
        host=host,
        port=port,
        encryption=encryption,
        bind_dn=bind_dn,
        password=password if bind_dn else None,
        authorities=str(values["AUTH_LDAP_CA_CERTIFICATE"]),
    )
    return Source(
        server=server,
        bases=bases,
        filter=parsed(str(values["AUTH_LDAP_SEARCH_FILTER"])),
        attributes=preferences.ldap_attributes(str(values["AUTH_LDAP_USER_ATTR_MAP"])),
        group_base=str(values["AUTH_LDAP_GROUP_BASE"]).strip(),
        group_filter=parsed(str(values["AUTH_LDAP_GROUP_FILTER"]).strip() or _ALL_GROUPS),
        digest=digest_of(values),
    )


def every_group() -> Filter:
    """The filter for groups of any kind."""
    return parsed(_ALL_GROUPS)
