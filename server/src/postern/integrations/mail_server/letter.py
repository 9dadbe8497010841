"""One message to one recipient, and its bytes."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Final

from django.utils.encoding import punycode

from postern.integrations.mail_server import failures

#: RFC 5321, 4.5.3.1.3.
_MAX_ADDRESS_CHARS: Final = 254
#: Stricter than the standard: quoted local parts and comments are refused, because they could smuggle parameters into a
#: command of the conversation.
_ADDRESS: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
#: Bodies become quoted-printable or base64, so servers without 8BITMIME take them, too.
_POLICY: Final = SMTP.clone(cte_type="7bit")


#: An address of the settings: `a@example.com`, or `Name <a@example.com>`, whose name may be in quotation marks.
_NAMED: Final = re.compile(r'\s*(?:"(?P<quoted>[^"\\]*)"|(?P<name>[^<>"]*))\s*<(?P<address>[^<>\s]+)>\s*')


@dataclass(frozen=True, slots=True)
class Correspondent:
    """Sender or recipient of a letter. The name may hold any characters."""

    address: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A message as text and as HTML.

    `message_id`, without angle brackets, stays the same when the message is sent again: receivers drop a second copy.
    """

    sender: Correspondent
    recipient: Correspondent
    subject: str
    text: str
    html: str
    message_id: str
    date: datetime


@dataclass(frozen=True, slots=True)
class Envelope:
    """What is sent: both addresses in ASCII, and the message with CRLF line ends."""

    sender: str
    recipient: str
    content: bytes


def sealed(letter: Letter) -> Envelope:
    """The bytes of a letter. Raises MailFailed for an address that cannot be used.

    Line ends and other control characters in headers become blanks, so no value can add a header.
    """
    sender = _address(letter.sender)
    if sender is None:
        raise failures.bad_sender(letter.sender.address)
    recipient = _address(letter.recipient)
    if recipient is None:
        raise failures.bad_recipient(letter.recipient.address)
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender
    message["To"] = recipient
    message["Subject"] = one_line(letter.subject)
    message["Date"] = format_datetime(letter.date)
    message["Message-ID"] = f"<{letter.message_id}>"
    # RFC 3834: out-of-office programs do not answer.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    message.add_alternative(letter.html, subtype="html")
    return Envelope(sender.addr_spec, recipient.addr_spec, message.as_bytes())


def correspondent_in(text: str) -> Correspondent:
    """`Name <address>` or an address, as people enter it."""
    match = _NAMED.fullmatch(text)
    if match is None:
        return Correspondent(text.strip())
    return Correspondent(match["address"], (match["quoted"] or match["name"] or "").strip())


def is_usable(correspondent: Correspondent) -> bool:
    """Whether mail can be sent to this address, or from it."""
    return _address(correspondent) is not None


def one_line(text: str) -> str:
    """`text` without line ends and other control characters."""
    blanked = "".join(" " if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} else char for char in text)
    return " ".join(blanked.split())


def _address(correspondent: Correspondent) -> Address | None:
    local, at, domain = correspondent.address.rpartition("@")
    try:
        address = f"{local}{at}{punycode(domain)}"
    except UnicodeError:
        return None
    if len(address) > _MAX_ADDRESS_CHARS or not _ADDRESS.fullmatch(address):
        return None
    try:
        return Address(display_name=one_line(correspondent.name), addr_spec=address)
    except (ValueError, IndexError):  # email's parser is stricter about dots, and raises both
        return None
