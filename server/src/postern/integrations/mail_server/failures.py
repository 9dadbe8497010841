"""Why a message was not accepted: each reason names the remedy, and can be translated later."""

import ssl
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.mail_server.server import MailServer
from postern.kernel.errors import PosternError
from postern.kernel.sentences import Sentence

#: Most characters of a server's answer that are shown.
_ANSWER_CHARS: Final = 200

#: Reasons of OpenSSL (ssl.SSLError.reason) when the bytes that came were no TLS.
_NOT_TLS: Final = frozenset(
    {"WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNKNOWN_PROTOCOL"}
)
#: X509_V_ERR_… of OpenSSL (ssl.SSLCertVerificationError.verify_code).
_NOT_YET_VALID, _EXPIRED, _WRONG_NAMES, _UNKNOWN_ISSUERS = 9, 10, {62, 64}, {18, 19, 20, 21}

_NAME: Final = Phrase(
    "mail.name_unknown", _("The name %(host)s cannot be resolved. Check the SMTP host and the DNS server.")
)
_CONNECTION_REFUSED: Final = Phrase(
    "mail.connection_refused",
    _("%(host)s refuses connections to port %(port)d. Check the SMTP port, and whether the mail server is running."),
)
_UNREACHABLE: Final = Phrase(
    "mail.unreachable",
    _("%(host)s cannot be reached. Check the SMTP host, and the network between Postern and the mail server."),
)
_CONNECT_TIMEOUT: Final = Phrase(
    "mail.connect_timeout",
    _(
        "%(host)s did not accept a connection to port %(port)d within %(seconds)d seconds. Check the SMTP host, the "
        "SMTP port and the firewall."
    ),
)
_TLS_TIMEOUT: Final = Phrase(
    "mail.tls_timeout",
    _(
        "%(host)s did not begin TLS on port %(port)d within %(seconds)d seconds. If the port expects STARTTLS (usually "
        "587), choose TLS instead of SSL."
    ),
)
_GREETING_TIMEOUT: Final = Phrase(
    "mail.greeting_timeout",
    _(
        "%(host)s accepted the connection but sent no greeting within %(seconds)d seconds. If port %(port)d expects TLS "
        "from the first byte (usually 465), choose SSL."
    ),
)
_ANSWER_TIMEOUT: Final = Phrase(
    "mail.answer_timeout",
    _("%(host)s did not finish the conversation within %(seconds)d seconds. Ask the administrator of the mail server."),
)
_LOST: Final = Phrase(
    "mail.connection_lost",
    _(
        "%(host)s closed the connection too early. Check the SMTP port, and choose SSL or TLS as the mail server expects it."
    ),
)
_LOST_LATER: Final = Phrase(
    "mail.connection_lost_later",
    _(
        "%(host)s closed the connection in the middle of the conversation. Try again later, or ask the administrator of "
        "the mail server."
    ),
)
_TLS_EXPIRED: Final = Phrase(
    "mail.tls_expired", _("The certificate of %(host)s has expired. It must be renewed on the mail server.")
)
_TLS_NOT_YET_VALID: Final = Phrase(
    "mail.tls_not_yet_valid",
    _("The certificate of %(host)s is not valid yet. Check the clocks of this machine and of the mail server."),
)
_TLS_WRONG_NAME: Final = Phrase(
    "mail.tls_wrong_name",
    _("The certificate of the mail server is not for %(host)s. Enter the host name that is in the certificate."),
)
_TLS_UNKNOWN_ISSUER: Final = Phrase(
    "mail.tls_unknown_issuer",
    _(
        "The certificate of %(host)s was issued by an authority that this machine does not trust. Add the certificate of "
        "the authority to the trusted certificates of this machine."
    ),
)
_TLS_PLAIN_SERVER: Final = Phrase(
    "mail.tls_plain_server",
    _(
        "%(host)s does not use TLS on port %(port)d. Choose TLS (STARTTLS) instead of SSL, or the port for SSL (usually "
        "465)."
    ),
)
_TLS_FAILED: Final = Phrase(
    "mail.tls_failed",
    _("TLS with %(host)s failed (%(reason)s). The mail server must support TLS 1.2 or later."),
)
_NO_STARTTLS: Final = Phrase(
    "mail.no_starttls",
    _("%(host)s does not offer STARTTLS on port %(port)d. Choose SSL with its port (usually 465), or another port."),
)
_UNENCRYPTED: Final = Phrase(
    "mail.password_unencrypted",
    _("The password is not sent without encryption. Choose SSL or TLS."),
)
_NO_SIGN_IN: Final = Phrase(
    "mail.no_sign_in",
    _("%(host)s offers no sign-in with a password on port %(port)d. Choose SSL or TLS, or the port for sending mail."),
)
_WRONG_PASSWORD: Final = Phrase(
    "mail.wrong_password",
    _("%(host)s refuses this SMTP account or password. Check both, and whether the account may use SMTP."),
)
_SIGN_IN_LATER: Final = Phrase(
    "mail.sign_in_later", _("%(host)s does not accept the sign-in now. Try again later. It answered: %(answer)s")
)
_SENDER_REFUSED: Final = Phrase(
    "mail.sender_refused",
    _(
        "%(host)s does not accept mail from %(address)s. Enter a sender that the SMTP account may use. It answered: %(answer)s"
    ),
)
_RECIPIENT_REFUSED: Final = Phrase(
    "mail.recipient_refused",
    _("%(host)s does not accept mail for %(address)s. Check the address of the recipient. It answered: %(answer)s"),
)
_CONTENT_REFUSED: Final = Phrase(
    "mail.content_refused", _("%(host)s does not accept the message. It answered: %(answer)s")
)
_SERVER_REFUSED: Final = Phrase(
    "mail.server_refused", _("%(host)s does not accept mail from Postern now. It answered: %(answer)s")
)
_NO_MAIL_SERVER: Final = Phrase(
    "mail.no_mail_server",
    _("What answers at %(host)s, port %(port)d, is no mail server. Check the SMTP host and the SMTP port."),
)
_BAD_SENDER: Final = Phrase(
    "mail.bad_sender", _("%(address)s is no mail address. Enter the address of the sender under Send user.")
)
_BAD_RECIPIENT: Final = Phrase("mail.bad_recipient", _("%(address)s is no address that mail can be sent to."))


class MailFailed(PosternError):
    """The message was not accepted.

    `is_final`: the same message will be refused again. `is_about_message`: other messages may be accepted; otherwise
    server, connection or account are at fault, and all messages fail.
    """

    code = "mail_failed"

    def __init__(self, sentence: Sentence, *, is_final: bool = False, is_about_message: bool = False) -> None:
        super().__init__(sentence)
        self.is_final = is_final
        self.is_about_message = is_about_message


def _at(phrase: Phrase, server: MailServer, **values: str | int) -> MailFailed:
    every = {"host": server.host, "port": server.port, **values}
    return MailFailed(phrase.say(**{name: value for name, value in every.items() if f"%({name})" in str(phrase.words)}))


def name_unknown(server: MailServer) -> MailFailed:
    return _at(_NAME, server)


def not_dialled(reason: PosternError) -> MailFailed:
    """The address must not be dialled."""
    return MailFailed(reason.sentence)


def unreachable(server: MailServer, error: OSError) -> MailFailed:
    return _at(_CONNECTION_REFUSED if isinstance(error, ConnectionRefusedError) else _UNREACHABLE, server)


def connect_timeout(server: MailServer, seconds: float) -> MailFailed:
    return _at(_CONNECT_TIMEOUT, server, seconds=round(seconds))


def tls_timeout(server: MailServer, seconds: float) -> MailFailed:
    return _at(_TLS_TIMEOUT, server, seconds=round(seconds))


def greeting_timeout(server: MailServer, seconds: float) -> MailFailed:
    return _at(_GREETING_TIMEOUT, server, seconds=round(seconds))


def answer_timeout(server: MailServer, seconds: float) -> MailFailed:
    return _at(_ANSWER_TIMEOUT, server, seconds=round(seconds))


def lost(server: MailServer) -> MailFailed:
    return _at(_LOST, server)


def lost_later(server: MailServer) -> MailFailed:
    """After the server has introduced itself: the port and the encryption are right."""
    return _at(_LOST_LATER, server)


def tls(server: MailServer, error: ssl.SSLError) -> MailFailed:
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
        return _at(_TLS_PLAIN_SERVER, server)
    return _at(_TLS_FAILED, server, reason=str(error.reason or "TLS"))


def no_starttls(server: MailServer) -> MailFailed:
    return _at(_NO_STARTTLS, server)


def unencrypted(server: MailServer) -> MailFailed:
    return _at(_UNENCRYPTED, server)


def no_sign_in(server: MailServer) -> MailFailed:
    return _at(_NO_SIGN_IN, server)


def sign_in(server: MailServer, code: int, answer: str) -> MailFailed:
    """The answer to a refused sign-in is not shown when it is final: it may repeat what was sent."""
    if _is_final(code):
        return _at(_WRONG_PASSWORD, server)
    return _at(_SIGN_IN_LATER, server, answer=_shown(code, answer))


def server_refused(server: MailServer, code: int, answer: str) -> MailFailed:
    """Greeting or introduction are refused."""
    if not 400 <= code <= 599:
        return _at(_NO_MAIL_SERVER, server)
    return _at(_SERVER_REFUSED, server, answer=_shown(code, answer))


def sender_refused(server: MailServer, code: int, answer: str, address: str) -> MailFailed:
    return _about_message(_SENDER_REFUSED, server, code, answer, address=address)


def recipient_refused(server: MailServer, code: int, answer: str, address: str) -> MailFailed:
    return _about_message(_RECIPIENT_REFUSED, server, code, answer, address=address)


def content_refused(server: MailServer, code: int, answer: str) -> MailFailed:
    return _about_message(_CONTENT_REFUSED, server, code, answer)


def bad_sender(address: str) -> MailFailed:
    return MailFailed(_BAD_SENDER.say(address=address))


def bad_recipient(address: str) -> MailFailed:
    return MailFailed(_BAD_RECIPIENT.say(address=address), is_final=True, is_about_message=True)


def _about_message(phrase: Phrase, server: MailServer, code: int, answer: str, **values: str) -> MailFailed:
    sentence = phrase.say(host=server.host, answer=_shown(code, answer), **values)
    return MailFailed(sentence, is_final=_is_final(code), is_about_message=True)


def _is_final(code: int) -> bool:
    return 500 <= code <= 599


def _shown(code: int, answer: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in answer)
    return f"{code} {' '.join(printable.split())}"[:_ANSWER_CHARS].strip()
