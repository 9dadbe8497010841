"""The mail server, sender and subject prefix of the settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from postern.apps.preferences import queries
from postern.apps.preferences.declarations.preference import Value
from postern.apps.preferences.secret_destinations import MAIL
from postern.integrations.mail_server.letter import Correspondent, correspondent_in, is_usable
from postern.integrations.mail_server.server import Encryption, MailServer
from postern.kernel.secret import Secret

PASSWORD: Final = MAIL.secret
#: The stored password is sent only to the server and account of these settings.
ADDRESSEE: Final = MAIL.to
_NAMES: Final = (*ADDRESSEE, "EMAIL_USE_SSL", "EMAIL_USE_TLS", "EMAIL_FROM", "EMAIL_SUBJECT_PREFIX")


@dataclass(frozen=True, slots=True)
class MailAccount:
    """Server, sender and subject prefix of outgoing messages."""

    server: MailServer
    sender: Correspondent
    subject_prefix: str

    def subject(self, text: str) -> str:
        """`text` after the prefix. The separating blank is added here, because forms strip the end of the prefix."""
        return f"{self.subject_prefix.strip()} {text}".strip()


def mail_account() -> MailAccount | None:
    """The account of the settings; None until a server and a valid sender are entered.

    Reads the password, so only processes with the key file can call it.
    """
    values = queries.values(_NAMES)
    return account_of(values, queries.secret(PASSWORD)) if _is_complete(values) else None


def is_mail_configured() -> bool:
    """Whether a server and a valid sender are entered. Does not read the password."""
    return _is_complete(queries.values(_NAMES))


def account_of(values: Mapping[str, Value], password: Secret | None) -> MailAccount:
    """The account with these validated values."""
    encryption = Encryption.NONE
    if values["EMAIL_USE_SSL"]:
        encryption = Encryption.TLS
    elif values["EMAIL_USE_TLS"]:
        encryption = Encryption.STARTTLS
    server = MailServer(
        host=str(values["EMAIL_HOST"]).strip(),
        port=int(str(values["EMAIL_PORT"])),
        encryption=encryption,
        username=str(values["EMAIL_HOST_USER"]),
        password=password,
    )
    return MailAccount(server, _sender(values), str(values["EMAIL_SUBJECT_PREFIX"]))


def _sender(values: Mapping[str, Value]) -> Correspondent:
    return correspondent_in(str(values["EMAIL_FROM"] or values["EMAIL_HOST_USER"] or ""))


def _is_complete(values: Mapping[str, Value]) -> bool:
    return bool(values["EMAIL_HOST"]) and is_usable(_sender(values))
