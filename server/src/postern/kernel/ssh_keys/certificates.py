"""SSH certificates of users' keys: the format (PROTOCOL.certkeys of OpenSSH), read strictly. Pure functions.

Reading decides nothing: whether an authority is trusted and a certificate lets anybody in is decided elsewhere.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from postern.kernel.ssh_keys.fields import FieldReader, FieldsProblem, string_field
from postern.kernel.ssh_keys.public_keys import PublicKeyProblem, SshPublicKey, key_of_blob
from postern.kernel.ssh_keys.signatures import is_signed_by

USER: Final = 1
HOST: Final = 2
#: `valid_before` of a certificate that never ends.
FOREVER: Final = 2**64 - 1
MAX_KEY_ID_CHARS: Final = 200
_MAX_NAMES: Final = 256
_SUFFIX: Final = b"-cert-v01@openssh.com"
#: Fields of the public key inside a certificate.
_KEY_FIELDS: Final[Mapping[bytes, int]] = {
    b"ssh-ed25519": 1,
    b"ssh-rsa": 2,
    b"ecdsa-sha2-nistp256": 2,
    b"ecdsa-sha2-nistp384": 2,
    b"ecdsa-sha2-nistp521": 2,
    b"sk-ssh-ed25519@openssh.com": 2,
    b"sk-ecdsa-sha2-nistp256@openssh.com": 3,
}
#: The types of keys on security keys end with the same domain as the types of certificates, which have it once.
_TYPES: Final = {key.removesuffix(b"@openssh.com") + _SUFFIX: key for key in _KEY_FIELDS}


class CertificateProblem(ValueError):
    """The bytes are not a certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A certificate whose signature is not verified yet. Times are seconds since 1970; `kind` is USER or HOST.

    `critical_options` have their raw data; `extensions` are names only, because none of them has data that counts here.
    """

    key: SshPublicKey
    serial: int
    kind: int
    key_id: str
    principals: tuple[str, ...]
    valid_after: int
    valid_before: int
    critical_options: Mapping[str, bytes]
    extensions: frozenset[str]
    authority: SshPublicKey
    signed: bytes
    signature: bytes

    @property
    def is_signed(self) -> bool:
        """Whether the authority signed this certificate."""
        return is_signed_by(self.authority, self.signature, self.signed)


def is_certificate(blob: bytes) -> bool:
    """Whether the blob of a key calls itself a certificate of a known kind."""
    try:
        return FieldReader(blob).string() in _TYPES
    except FieldsProblem:
        return False


def is_certificate_line(line: str) -> bool:
    """Whether a line in OpenSSH format says that it is a certificate."""
    return _SUFFIX.decode() in line.split(" ", 1)[0]


def read_certificate_line(line: str) -> Certificate | None:
    """The certificate in a line in OpenSSH format; None if there is none."""
    fields = line.split()
    try:
        return read_certificate(base64.b64decode(fields[1], validate=True))
    except (IndexError, ValueError):
        return None


def read_certificate(blob: bytes) -> Certificate:
    """The certificate. Raises CertificateProblem for anything that is not exactly one.

    The authority is a plain key: a certificate cannot sign another one (K33: certificates are checked whole).
    """
    try:
        return _read(blob)
    except (FieldsProblem, PublicKeyProblem, UnicodeDecodeError) as error:
        raise CertificateProblem(str(error)) from error


def option_text(data: bytes) -> str:
    """The text of an option, which is a string inside the data. Raises CertificateProblem."""
    reader = FieldReader(data)
    try:
        text = reader.string().decode("ascii")
        reader.end()
    except (FieldsProblem, UnicodeDecodeError) as error:
        raise CertificateProblem("option without a text") from error
    return text


def _read(blob: bytes) -> Certificate:
    reader = FieldReader(blob)
    key_type = _TYPES.get(reader.string())
    if key_type is None:
        raise CertificateProblem("unknown kind of certificate")
    reader.string()  # the nonce
    fields = b"".join(string_field(reader.string()) for _ in range(_KEY_FIELDS[key_type]))
    serial, kind, key_id = reader.long_number(), reader.number(), reader.string().decode("utf-8")
    principals = _names(reader.string())
    valid_after, valid_before = reader.long_number(), reader.long_number()
    critical_options, extensions = _options(reader.string()), _options(reader.string())
    reader.string()  # reserved
    authority = key_of_blob(reader.string())
    signed, signature = reader.consumed, reader.string()
    reader.end()
    if not key_id.isprintable() or len(key_id) > MAX_KEY_ID_CHARS:
        raise CertificateProblem("the key id is too long, or cannot be shown")
    return Certificate(
        key=key_of_blob(string_field(key_type) + fields),
        serial=serial,
        kind=kind,
        key_id=key_id,
        principals=principals,
        valid_after=valid_after,
        valid_before=valid_before,
        critical_options=critical_options,
        extensions=frozenset(extensions),
        authority=authority,
        signed=signed,
        signature=signature,
    )


def _names(data: bytes) -> tuple[str, ...]:
    reader, names = FieldReader(data), list[str]()
    while not reader.is_over and len(names) <= _MAX_NAMES:
        names.append(reader.string().decode("utf-8"))
    if len(names) > _MAX_NAMES:
        raise CertificateProblem("too many principals")
    return tuple(names)


def _options(data: bytes) -> Mapping[str, bytes]:
    reader, options = FieldReader(data), dict[str, bytes]()
    while not reader.is_over:
        name, value = reader.string().decode("utf-8"), reader.string()
        if name in options:
            raise CertificateProblem("an option occurs twice")
        options[name] = value
    return MappingProxyType(options)
