"""The messages of WS-Management that start programs (MS-WSMV 3.1.4), and reading the answers.

What a host answers is data: ids that go back to it must look like ids, and XML with a DOCTYPE is refused.
"""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

_SHELL: Final = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell"
_RESOURCE: Final = f"{_SHELL}/cmd"
_TRANSFER: Final = "http://schemas.xmlsoap.org/ws/2004/09/transfer"
_ANONYMOUS: Final = "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous"
_MAX_ENVELOPE: Final = 153600
#: The host ends a shell that nobody has asked for so long, with what runs in it.
_IDLE: Final = "<rsp:IdleTimeOut>PT180S</rsp:IdleTimeOut>"
_ID: Final = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", re.ASCII)
_MAX_DEPTH: Final = 64
_MAX_ELEMENTS: Final = 5000

#: The operation took longer than its timeout: ask again.
TIMED_OUT: Final = "2150858793"
ACCESS_DENIED: Final = "5"

IDENTIFY: Final = (
    b'<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"'
    b' xmlns:wsmid="http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd">'
    b"<s:Header/><s:Body><wsmid:Identify/></s:Body></s:Envelope>"
)

_ENVELOPE: Final = (
    '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"'
    ' xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"'
    ' xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd"'
    ' xmlns:p="http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd"'
    ' xmlns:rsp="http://schemas.microsoft.com/wbem/wsman/1/windows/shell">'
    "<s:Header>"
    "<a:To>{to}</a:To>"
    '<w:ResourceURI s:mustUnderstand="true">{resource}</w:ResourceURI>'
    '<a:ReplyTo><a:Address s:mustUnderstand="true">{anonymous}</a:Address></a:ReplyTo>'
    '<a:Action s:mustUnderstand="true">{action}</a:Action>'
    '<w:MaxEnvelopeSize s:mustUnderstand="true">{size}</w:MaxEnvelopeSize>'
    "<a:MessageID>uuid:{message_id}</a:MessageID>"
    '<w:Locale xml:lang="en-US" s:mustUnderstand="false"/>'
    '<p:DataLocale xml:lang="en-US" s:mustUnderstand="false"/>'
    "<w:OperationTimeout>PT{timeout_s}S</w:OperationTimeout>"
    "{more}</s:Header><s:Body>{body}</s:Body></s:Envelope>"
)


class BadAnswer(Exception):
    """The answer is no message of WS-Management."""


@dataclass(frozen=True, slots=True)
class Envelopes:
    """Makes messages for one host. `to` is its address as a URL."""

    to: str
    timeout_s: int

    def create(self) -> bytes:
        """Create a shell."""
        body = f"<rsp:Shell><rsp:InputStreams>stdin</rsp:InputStreams><rsp:OutputStreams>stdout stderr</rsp:OutputStreams>{_IDLE}</rsp:Shell>"
        options = _options({"WINRS_NOPROFILE": "TRUE", "WINRS_CODEPAGE": "65001"})
        return self._message(f"{_TRANSFER}/Create", body, options)

    def command(self, shell_id: str, line: str) -> bytes:
        """Start a program."""
        options = _options({"WINRS_CONSOLEMODE_STDIN": "FALSE", "WINRS_SKIP_CMD_SHELL": "FALSE"})
        body = f"<rsp:CommandLine><rsp:Command>{escape(line)}</rsp:Command></rsp:CommandLine>"
        return self._message(f"{_SHELL}/Command", body, _selector(shell_id) + options)

    def receive(self, shell_id: str, command_id: str) -> bytes:
        """Ask for output."""
        body = f"<rsp:Receive><rsp:DesiredStream CommandId={quoteattr(command_id)}>stdout stderr</rsp:DesiredStream></rsp:Receive>"
        return self._message(f"{_SHELL}/Receive", body, _selector(shell_id))

    def send(self, shell_id: str, command_id: str, data: bytes, *, is_last: bool) -> bytes:
        """Send input."""
        end = ' End="TRUE"' if is_last else ""
        text = base64.b64encode(data).decode("ascii")
        stream = f'<rsp:Stream Name="stdin" CommandId={quoteattr(command_id)}{end}>{text}</rsp:Stream>'
        return self._message(f"{_SHELL}/Send", f"<rsp:Send>{stream}</rsp:Send>", _selector(shell_id))

    def terminate(self, shell_id: str, command_id: str) -> bytes:
        """End a program."""
        code = f"<rsp:Code>{_SHELL}/signal/terminate</rsp:Code>"
        body = f"<rsp:Signal CommandId={quoteattr(command_id)}>{code}</rsp:Signal>"
        return self._message(f"{_SHELL}/Signal", body, _selector(shell_id))

    def delete(self, shell_id: str) -> bytes:
        """End a shell and what runs in it."""
        return self._message(f"{_TRANSFER}/Delete", "", _selector(shell_id))

    def _message(self, action: str, body: str, more: str) -> bytes:
        return _ENVELOPE.format(
            to=escape(self.to), resource=_RESOURCE, anonymous=_ANONYMOUS, action=action, size=_MAX_ENVELOPE,
            message_id=str(uuid4()).upper(), timeout_s=self.timeout_s, more=more, body=body,
        ).encode()  # fmt: skip


def _options(values: Mapping[str, str]) -> str:
    options = "".join(f"<w:Option Name={quoteattr(name)}>{escape(value)}</w:Option>" for name, value in values.items())
    return f"<w:OptionSet>{options}</w:OptionSet>"


def _selector(shell_id: str) -> str:
    return f'<w:SelectorSet><w:Selector Name="ShellId">{escape(shell_id)}</w:Selector></w:SelectorSet>'


@dataclass(slots=True)
class Element:
    """An element: its name without namespace, its attributes, and the text directly in it."""

    name: str
    attributes: Mapping[str, str]
    text: str = ""


@dataclass(slots=True)
class _Reading:
    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= _MAX_DEPTH or len(self.elements) >= _MAX_ELEMENTS:
            raise BadAnswer("the answer has too many elements")
        local = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        element = Element(name.rpartition(" ")[2], local)
        self.elements.append(element)
        self.open.append(element)

    def end(self, _name: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text


def _no_doctype(*_: Any) -> None:
    raise BadAnswer("the answer has a DOCTYPE")


@dataclass(frozen=True, slots=True)
class Answer:
    """The elements of an answer, in order."""

    elements: Sequence[Element]

    def has(self, name: str) -> bool:
        """Whether there is such an element."""
        return any(element.name == name for element in self.elements)

    def all(self, name: str) -> list[Element]:
        """All elements of this name."""
        return [element for element in self.elements if element.name == name]

    def text(self, name: str) -> str:
        """The text of the first such element, or ""."""
        return next((element.text.strip() for element in self.elements if element.name == name), "")

    @property
    def fault(self) -> str:
        """The code of an error, as a decimal number; "" if it is none. "fault" for an error without a code."""
        if not self.has("Fault"):
            return ""
        codes = [element.attributes.get("Code", "") for element in self.all("WSManFault")]
        return next((code for code in codes if code), TIMED_OUT if self._is_time_out else "fault")

    @property
    def fault_text(self) -> str:
        """What the host says about an error."""
        return " ".join((self.text("Message") or self.text("Text")).split())

    @property
    def shell_id(self) -> str:
        """The id of a new shell. Raises BadAnswer."""
        selectors = (item.text for item in self.all("Selector") if item.attributes.get("Name") == "ShellId")
        return _checked_id(self.text("ShellId") or next(selectors, ""))

    @property
    def command_id(self) -> str:
        """The id of a program that was started. Raises BadAnswer."""
        return _checked_id(self.text("CommandId"))

    @property
    def _is_time_out(self) -> bool:
        return any(item.text.strip().endswith(":TimedOut") for item in self.all("Value"))

    def output(self) -> "list[tuple[bytes, bool]]":
        """Output in an answer to `receive`: bytes, and whether they are of the error stream. Raises BadAnswer."""
        return [
            (_decoded(item.text), item.attributes.get("Name") == "stderr")
            for item in self.all("Stream")
            if item.attributes.get("Name") in {"stdout", "stderr"} and item.text.strip()
        ]

    def exit_status(self) -> "tuple[bool, int | None]":
        """Whether the program has ended, and its exit status."""
        states = [item.attributes.get("State", "") for item in self.all("CommandState")]
        code = self.text("ExitCode")
        return any(state.endswith("/Done") for state in states), _status(code)


def read(body: bytes) -> Answer:
    """Read an answer. Raises BadAnswer."""
    reading = _Reading()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True  # else each line is a call of its own, and a megabyte of line ends takes seconds
    parser.StartElementHandler = reading.begin
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    parser.StartDoctypeDeclHandler = _no_doctype
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        raise BadAnswer("the answer is no XML") from error
    return Answer(reading.elements)


def _checked_id(text: str) -> str:
    if _ID.fullmatch(text) is None:
        raise BadAnswer("the answer has no id")
    return text


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadAnswer("the answer has output that is not encoded") from error


def _status(code: str) -> int | None:
    """An exit status as Windows shows it (32 bits, signed)."""
    if not (code.lstrip("-").isascii() and code.lstrip("-").isdigit() and len(code) <= 11):
        return None
    number = int(code)
    return number - 2**32 if 2**31 <= number < 2**32 else number if -(2**31) <= number < 2**31 else None
