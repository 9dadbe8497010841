"""Connections that HTTP is spoken over: plain, or TLS over any `Wire`."""

import asyncio
import contextlib
import ssl
from abc import ABC, abstractmethod
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

READ_BYTES: Final = 64 * 1024
_WEAK_HASHES: Final = (hashes.MD5, hashes.SHA1)


class ByteStream(ABC):
    """A connection of bytes in both directions."""

    @abstractmethod
    async def read(self) -> bytes:
        """The next bytes; none at the end. Raises OSError."""

    @abstractmethod
    async def write(self, data: bytes) -> None:
        """Send all of it. Raises OSError."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection at once."""


class PlainStream(ByteStream):
    """A connection without TLS."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        return await self._reader.read(READ_BYTES)

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def close(self) -> None:
        self._writer.close()


class TlsStream(ByteStream):
    """TLS over another stream. Call `handshake` first, and judge `certificate` before anything is sent.

    Certificates of WinRM are usually signed by themselves. As with SSH, the key is compared with the one that is
    pinned for the host; the handshake proves that the host has it.
    """

    def __init__(self, below: ByteStream, host: str) -> None:
        self._below = below
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    async def handshake(self) -> x509.Certificate:
        """Do the handshake and return the host's certificate. Raises OSError, ValueError."""
        while True:
            try:
                self._tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                await self._flush()
                await self._receive()
        await self._flush()
        data = self._tls.getpeercert(binary_form=True)
        if data is None:
            raise ConnectionError("the host showed no certificate")
        return x509.load_der_x509_certificate(data)

    async def read(self) -> bytes:
        while True:
            try:
                return self._tls.read(READ_BYTES)
            except ssl.SSLWantReadError:
                await self._flush()
                await self._receive()
            except ssl.SSLZeroReturnError:
                return b""

    async def write(self, data: bytes) -> None:
        self._tls.write(data)  # into memory: it takes everything
        await self._flush()

    def close(self) -> None:
        self._below.close()

    async def _flush(self) -> None:
        if data := self._outgoing.read():
            await self._below.write(data)

    async def _receive(self) -> None:
        data = await self._below.read()
        if not data:
            self._incoming.write_eof()
            with contextlib.suppress(ssl.SSLError):
                self._tls.read(0)
            raise ConnectionResetError("the host closed the connection")
        self._incoming.write(data)


def key_line(certificate: x509.Certificate) -> str:
    """The public key of a certificate as one line in OpenSSH format. Raises ValueError for kinds that have none."""
    key: PublicKeyTypes = certificate.public_key()
    try:
        return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode("ascii")
    except Exception as error:  # the library raises several kinds
        raise ValueError("a certificate with a key of this kind cannot be pinned") from error


def end_point_binding(certificate: x509.Certificate) -> bytes:
    """The channel binding `tls-server-end-point` (RFC 5929), which ties a sign-in to this connection."""
    algorithm = certificate.signature_hash_algorithm
    if algorithm is None or isinstance(algorithm, _WEAK_HASHES):
        algorithm = hashes.SHA256()
    return b"tls-server-end-point:" + certificate.fingerprint(algorithm)
