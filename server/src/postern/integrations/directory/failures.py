"""Why a directory gave no answer: each reason names the remedy, and can be translated later."""

import ssl
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.directory.server import DirectoryServer
from postern.kernel.errors import PosternError
from postern.kernel.sentences import Sentence

_ANSWER_CHARS: Final = 200
_NOT_TLS: Final = frozenset(
    {"WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNKNOWN_PROTOCOL"}
)
#: X509_V_ERR_… of OpenSSL (ssl.SSLCertVerificationError.verify_code).
_NOT_YET_VALID, _EXPIRED, _WRONG_NAMES, _UNKNOWN_ISSUERS = 9, 10, {62, 64}, {18, 19, 20, 21}

#: Code of a conversation that did not end in time.
TIMEOUT: Final = "directory.timeout"
_NAME: Final = Phrase(
    "directory.name_unknown", _("The name %(host)s cannot be resolved. Check the LDAP server and the DNS server.")
)
_REFUSED: Final = Phrase(
    "directory.connection_refused",
    _("%(host)s refuses connections to port %(port)d. Check the port, and whether the directory server is running."),
)
_UNREACHABLE: Final = Phrase(
    "directory.unreachable",
    _("%(host)s cannot be reached. Check the LDAP server, and the network between Postern and the directory server."),
)
_TIMEOUT: Final = Phrase(
    TIMEOUT,
    _(
        "%(host)s did not finish answering on port %(port)d within %(seconds)d seconds. Check the address, the port, the "
        "firewall, and whether the port expects ldap:// or ldaps://."
    ),
)
_LOST: Final = Phrase(
    "directory.connection_lost",
    _("%(host)s closed the connection too early. Check whether port %(port)d expects ldap:// or ldaps://."),
)
_TLS_EXPIRED: Final = Phrase(
    "directory.tls_expired",
    _("The certificate of %(host)s has expired. It must be renewed on the directory server."),
)
_TLS_NOT_YET_VALID: Final = Phrase(
    "directory.tls_not_yet_valid",
    _("The certificate of %(host)s is not valid yet. Check the clocks of this machine and of the directory server."),
)
_TLS_WRONG_NAME: Final = Phrase(
    "directory.tls_wrong_name",
    _("The certificate of the directory server is not for %(host)s. Enter the host name that is in the certificate."),
)
_TLS_UNKNOWN_ISSUER: Final = Phrase(
    "directory.tls_unknown_issuer",
    _(
        "The certificate of %(host)s was issued by an authority that is not trusted. Enter the certificate of the "
        "authority in the field for it."
    ),
)
_TLS_PLAIN: Final = Phrase(
    "directory.tls_plain_server",
    _("%(host)s does not use TLS on port %(port)d. Use ldap:// with StartTLS, or the port for ldaps:// (usually 636)."),
)
_TLS_FAILED: Final = Phrase(
    "directory.tls_failed", _("TLS with %(host)s failed (%(reason)s). Ask the administrator of the directory server.")
)
_BAD_AUTHORITIES: Final = Phrase(
    "directory.bad_authorities", _("The certificate of the authority cannot be read. Paste it in PEM format.")
)
_NO_STARTTLS: Final = Phrase(
    "directory.no_starttls",
    _("%(host)s does not offer StartTLS on port %(port)d (%(answer)s). Use ldaps://, usually on port 636."),
)
_UNENCRYPTED: Final = Phrase(
    "directory.unencrypted",
    _(
        "Passwords are not sent to %(host)s without encryption. Use ldaps://, or switch on StartTLS. Without encryption "
        "only a directory on this machine is used."
    ),
)
_NOT_LDAP: Final = Phrase(
    "directory.not_ldap", _("%(host)s does not answer as a directory server on port %(port)d. Check the port.")
)
_TOO_MUCH: Final = Phrase(
    "directory.too_much",
    _("%(host)s sent more than was asked for. Narrow the search base or the filter, or ask its administrator."),
)
_TOO_MANY: Final = Phrase(
    "directory.too_many",
    _("%(host)s has more than %(most)d entries for this search. Narrow the search base or the filter."),
)
_BIND_REFUSED: Final = Phrase(
    "directory.bind_refused",
    _("%(host)s refused the bind DN or its password (%(answer)s). Enter both as the directory has them."),
)
_STRONGER: Final = Phrase(
    "directory.stronger_wanted",
    _("%(host)s wants an encrypted or signed connection (%(answer)s). Use ldaps://, or switch on StartTLS."),
)
_NO_BASE: Final = Phrase(
    "directory.no_base", _("%(host)s has no search base %(base)s. Check the search base (%(answer)s).")
)
_LIMIT: Final = Phrase(
    "directory.limit",
    _(
        "%(host)s answered only partly, because of its own limit (%(answer)s). Raise the limit for the bind DN on the "
        "directory server, or narrow the filter."
    ),
)
_REFERRAL: Final = Phrase(
    "directory.referral",
    _("%(host)s refers to another server, which Postern does not follow. Enter a server that has the search base."),
)
_OPERATION: Final = Phrase(
    "directory.operation_failed", _("%(host)s refused the search (%(answer)s). Check the search base and the filter.")
)
_SERVER_FAULT: Final = Phrase(
    "directory.server_fault",
    _("%(host)s cannot answer now (%(answer)s). Ask the administrator of the directory server."),
)

#: Names of result codes that administrators meet (RFC 4511, appendix A).
_CODES: Final = {
    1: "operationsError",
    2: "protocolError",
    3: "timeLimitExceeded",
    4: "sizeLimitExceeded",
    8: "strongerAuthRequired",
    10: "referral",
    11: "adminLimitExceeded",
    12: "unavailableCriticalExtension",
    13: "confidentialityRequired",
    32: "noSuchObject",
    34: "invalidDNSyntax",
    48: "inappropriateAuthentication",
    49: "invalidCredentials",
    50: "insufficientAccessRights",
    51: "busy",
    52: "unavailable",
    53: "unwillingToPerform",
}
_LIMITS: Final = frozenset({3, 4, 11})
_BUSY: Final = frozenset({51, 52})
_WANTS_MORE: Final = frozenset({8, 13})


class DirectoryFailed(PosternError):
    """The directory gave no usable answer."""

    code = "directory_failed"


def _at(phrase: Phrase, server: DirectoryServer, **values: str | int) -> DirectoryFailed:
    every = {"host": server.host, "port": server.port, **values}
    words = str(phrase.words)
    return DirectoryFailed(phrase.say(**{name: value for name, value in every.items() if f"%({name})" in words}))


def name_unknown(server: DirectoryServer) -> DirectoryFailed:
    return _at(_NAME, server)


def not_dialled(sentence: Sentence) -> DirectoryFailed:
    """The address must not be dialled."""
    return DirectoryFailed(sentence)


def unreachable(server: DirectoryServer, error: OSError) -> DirectoryFailed:
    return _at(_REFUSED if isinstance(error, ConnectionRefusedError) else _UNREACHABLE, server)


def timeout(server: DirectoryServer, seconds: float) -> DirectoryFailed:
    return _at(_TIMEOUT, server, seconds=round(seconds))


def lost(server: DirectoryServer) -> DirectoryFailed:
    return _at(_LOST, server)


def bad_authorities() -> DirectoryFailed:
    return DirectoryFailed(_BAD_AUTHORITIES.say())


def tls(server: DirectoryServer, error: ssl.SSLError) -> DirectoryFailed:
    """TLS could not be set up."""
    if isinstance(error, ssl.SSLCertVerificationError):
        code = error.verify_code
        if code == _EXPIRED:
            return _at(_TLS_EXPIRED, server)
        if code == _NOT_YET_VALID:
            return _at(_TLS_NOT_YET_VALID, server)
        if code in _WRONG_NAMES:
            return _at(_TLS_WRONG_NAME, server)
        if code in _UNKNOWN_ISSUERS:
            return _at(_TLS_UNKNOWN_ISSUER, server)
        return _at(_TLS_FAILED, server, reason=error.verify_message)
    if error.reason in _NOT_TLS:
        return _at(_TLS_PLAIN, server)
    return _at(_TLS_FAILED, server, reason=str(error.reason or "TLS"))


def no_starttls(server: DirectoryServer, code: int, text: str) -> DirectoryFailed:
    return _at(_NO_STARTTLS, server, answer=shown(code, text))


def unencrypted(server: DirectoryServer) -> DirectoryFailed:
    return _at(_UNENCRYPTED, server)


def not_ldap(server: DirectoryServer) -> DirectoryFailed:
    return _at(_NOT_LDAP, server)


def too_much(server: DirectoryServer) -> DirectoryFailed:
    return _at(_TOO_MUCH, server)


def too_many(server: DirectoryServer, most: int) -> DirectoryFailed:
    return _at(_TOO_MANY, server, most=most)


def bind_refused(server: DirectoryServer, code: int, text: str) -> DirectoryFailed:
    if code in _WANTS_MORE:
        return _at(_STRONGER, server, answer=shown(code, text))
    if code in _BUSY:
        return _at(_SERVER_FAULT, server, answer=shown(code, text))
    return _at(_BIND_REFUSED, server, answer=shown(code, text))


def search_refused(server: DirectoryServer, code: int, text: str, base: str) -> DirectoryFailed:
    """A search ended with another result than success. Whatever came before it is incomplete."""
    if code in {32, 34}:
        return _at(_NO_BASE, server, base=base, answer=shown(code, text))
    if code in _LIMITS:
        return _at(_LIMIT, server, answer=shown(code, text))
    if code in _BUSY:
        return _at(_SERVER_FAULT, server, answer=shown(code, text))
    if code in _WANTS_MORE:
        return _at(_STRONGER, server, answer=shown(code, text))
    if code == 10:
        return _at(_REFERRAL, server)
    return _at(_OPERATION, server, answer=shown(code, text))


def shown(code: int, text: str) -> str:
    """A result as administrators read it: the code, its name, and the server's own words."""
    printable = "".join(char if char.isprintable() else " " for char in text)
    return f"{code} {_CODES.get(code, '')} {' '.join(printable.split())}"[:_ANSWER_CHARS].strip()
