"""The licence file: its content, and the signature over it.

A file is one JSON object, `{"format": "postern-licence/1", "key_id": …, "payload": base64, "signature": base64}`. The
signature (Ed25519) covers the format and the exact bytes of the payload, so no canonical form of JSON is needed. Pure
functions: no disk, database or clock.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from postern.apps.licence.errors import Fault, LicenceRefused

FORMAT: Final = "postern-licence/1"
#: A licence has some 500 bytes; the longest company name stays below this.
MAX_BYTES: Final = 16 * 1024
#: Administrators are warned when fewer days than this are left.
WARNING_DAYS: Final = 7

_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
_Count = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]


class Licence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of a licence. It is valid from `date_issued` to `date_expired`, both included (UTC).

    `asset_count`: number of licensed assets; None means unlimited.
    """

    corporation: _Text
    subscription_id: _Text
    edition: Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
    date_issued: date
    date_expired: date
    asset_count: _Count | None = None

    def days_left(self, today: date) -> int:
        """Days until the last valid day: 0 on that day, negative afterwards."""
        return (self.date_expired - today).days

    def is_expired(self, today: date) -> bool:
        return self.days_left(today) < 0

    def is_expiring(self, today: date) -> bool:
        """Still valid, for less than a week."""
        return 0 <= self.days_left(today) < WARNING_DAYS

    def require_current(self, today: date) -> None:
        """Raise LicenceRefused before the first and after the last valid day."""
        if self.is_expired(today):
            raise LicenceRefused(Fault.EXPIRED, date=self.date_expired.isoformat())
        if today < self.date_issued:
            raise LicenceRefused(Fault.NOT_YET, date=self.date_issued.isoformat())


class _Envelope(msgspec.Struct, frozen=True):
    format: str
    key_id: str
    payload: str
    signature: str


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """A trusted issuer's public key: its 32 bytes and its short name."""

    public: bytes
    key_id: str

    @classmethod
    def of(cls, public: Ed25519PublicKey) -> "TrustedKey":
        return cls(public.public_bytes(Encoding.Raw, PublicFormat.Raw), key_id(public))


def key_id(public: Ed25519PublicKey) -> str:
    """Short name of a public key: 16 hexadecimal digits."""
    return hashlib.sha256(public.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:16]


def sign(licence: Licence, private: Ed25519PrivateKey) -> str:
    """Create the signed licence file."""
    payload = msgspec.json.encode(licence)
    envelope = {
        "format": FORMAT,
        "key_id": key_id(private.public_key()),
        "payload": base64.b64encode(payload).decode(),
        "signature": base64.b64encode(private.sign(_signed(payload))).decode(),
    }
    return json.dumps(envelope, indent=2) + "\n"


def read(data: bytes, trusted: Iterable[TrustedKey]) -> Licence:
    """The content of a licence file signed by one of the trusted keys. Does not check the dates.

    Raises LicenceRefused.
    """
    if len(data) > MAX_BYTES:
        raise LicenceRefused(Fault.TOO_LARGE)
    try:
        envelope = msgspec.json.decode(data, type=_Envelope)
        payload = base64.b64decode(envelope.payload, validate=True)
        signature = base64.b64decode(envelope.signature, validate=True)
    except (msgspec.MsgspecError, binascii.Error, ValueError, RecursionError):
        raise LicenceRefused(Fault.UNREADABLE) from None
    if envelope.format != FORMAT:
        raise LicenceRefused(Fault.UNREADABLE)
    known = {key.key_id: key for key in trusted}
    if not known:
        raise LicenceRefused(Fault.NOBODY_TRUSTED)
    key = known.get(envelope.key_id)
    if key is None:
        raise LicenceRefused(Fault.UNTRUSTED)
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, _signed(payload))
    except InvalidSignature:
        raise LicenceRefused(Fault.FORGED) from None
    try:  # only now: do not parse content before its signature is verified
        return msgspec.json.decode(payload, type=Licence)
    except msgspec.MsgspecError:
        raise LicenceRefused(Fault.UNREADABLE) from None


def _signed(payload: bytes) -> bytes:
    return FORMAT.encode() + b"\n" + payload
