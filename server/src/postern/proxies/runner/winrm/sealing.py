"""Signing in with NTLM or Basic, and sealing messages (MS-WSMV 2.2.9.1)."""

import base64
import binascii
import re
from typing import Final

import spnego
from spnego.channel_bindings import GssChannelBindings
from spnego.exceptions import SpnegoError

from postern.kernel.secret import Secret
from postern.proxies.runner.winrm.http import HttpError, Reply

_SOAP_TYPE: Final = "application/soap+xml;charset=UTF-8"
_SEALED_TYPE: Final = (
    'multipart/encrypted;protocol="application/HTTP-SPNEGO-session-encrypted";boundary="Encrypted Boundary"'
)
_HEAD: Final = (
    "--Encrypted Boundary\r\n"
    "\tContent-Type: application/HTTP-SPNEGO-session-encrypted\r\n"
    "\tOriginalContent: type=application/soap+xml;charset=UTF-8;Length={length}\r\n"
    "--Encrypted Boundary\r\n"
    "\tContent-Type: application/octet-stream\r\n"
)
_TAIL: Final = b"--Encrypted Boundary--\r\n"
_SEALED: Final = re.compile(
    rb"--Encrypted Boundary\s+Content-Type:[^\r\n]*\s+OriginalContent:[^\r\n]*?Length=(\d{1,9})\s+"
    rb"--Encrypted Boundary\s+Content-Type: application/octet-stream\r\n",
    re.IGNORECASE,
)
_NEGOTIATE: Final = "Negotiate"
_MAX_SIGNATURE_BYTES: Final = 64


class SignInRefused(Exception):
    """The host's answer to the sign-in makes no sense."""


class NtlmSignIn:
    """One sign-in with NTLM, and afterwards the keys of its connection. The password itself is never sent."""

    def __init__(self, login_name: str, password: Secret, host: str, binding: bytes | None) -> None:
        """`binding` is the channel binding of a TLS connection."""
        self._context = spnego.client(
            username=login_name,
            password=password.reveal(),
            hostname=host,
            service="HTTP",
            protocol="ntlm",
            options=spnego.NegotiateOptions.use_ntlm,
            channel_bindings=GssChannelBindings(application_data=binding) if binding is not None else None,
        )

    def token(self, challenge: bytes | None = None) -> str:
        """The next header `Authorization`. Raises SignInRefused."""
        try:
            data = self._context.step(challenge)
        except Exception as error:  # the library raises several kinds for a challenge that is none
            raise SignInRefused(str(error)) from error
        return f"{_NEGOTIATE} {base64.b64encode(data or b'').decode('ascii')}"

    @property
    def can_seal(self) -> bool:
        """Whether the host has agreed to seal messages."""
        return bool(self._context.context_attr & spnego.ContextReq.confidentiality)

    def sealed(self, message: bytes) -> tuple[str, bytes]:
        """Content type and body of a sealed message."""
        result = self._context.wrap_winrm(message)
        body = _HEAD.format(length=len(message) + result.padding_length).encode("ascii")
        return _SEALED_TYPE, body + len(result.header).to_bytes(4, "little") + result.header + result.data + _TAIL

    def opened(self, reply: Reply) -> bytes:
        """The message of a sealed answer. Raises HttpError for an answer that is not sealed with the right keys."""
        head = _SEALED.match(reply.body)
        if head is None or not reply.body.rstrip(b"\r\n").endswith(_TAIL.rstrip()):
            raise HttpError("the answer is not sealed")
        sealed = reply.body[head.end() : reply.body.rindex(_TAIL.rstrip())]
        size = int.from_bytes(sealed[:4], "little")
        if not 0 < size <= _MAX_SIGNATURE_BYTES:
            raise HttpError("the answer has no signature")
        try:
            message = self._context.unwrap_winrm(sealed[4 : 4 + size], sealed[4 + size :])
        except SpnegoError as error:
            raise HttpError("the answer is sealed with other keys") from error
        if len(message) != int(head[1]):
            raise HttpError("the answer has another length than it says")
        return message


def plain(message: bytes) -> tuple[str, bytes]:
    """Content type and body of a message that is not sealed."""
    return _SOAP_TYPE, message


def basic(login_name: str, password: Secret) -> str:
    """The header `Authorization` of Basic. It holds the password: only for TLS with a judged key."""
    pair = f"{login_name}:{password.reveal()}".encode()
    return f"Basic {base64.b64encode(pair).decode('ascii')}"


def offered(reply: Reply) -> list[str]:
    """The ways to sign in that an answer names, in small letters."""
    return [part.split(" ", 1)[0].lower() for value in reply.all("www-authenticate") for part in value.split(", ")]


def challenge_of(reply: Reply) -> bytes | None:
    """The challenge of NTLM in an answer, or None."""
    for value in reply.all("www-authenticate"):
        method, _space, text = value.partition(" ")
        if method.lower() == _NEGOTIATE.lower() and text:
            try:
                return base64.b64decode(text.strip(), validate=True)
            except binascii.Error:
                return None
    return None
