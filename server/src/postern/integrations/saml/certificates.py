"""Certificates of a provider, as administrators enter them, and our own."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from postern.integrations.saml import failures
from postern.kernel.secret import Secret

MOST_CERTIFICATES: Final = 10
_BLOCK: Final = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=\s]+")
_LEAST_RSA_BITS: Final = 2048
_CURVES: Final = (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)
_OWN_LIFETIME: Final = timedelta(days=3650)


@dataclass(frozen=True, slots=True)
class Shown:
    """A certificate as administrators compare it. `fingerprint`: SHA-256, in hexadecimal pairs."""

    subject: str
    fingerprint: str
    date_expired: datetime


def from_text(text: str) -> tuple[x509.Certificate, ...]:
    """The certificates of a text: PEM blocks, or the bare base64 of one. Raises WebApiFailed."""
    blocks = [match.group(1) for match in _BLOCK.finditer(text)]
    if not blocks and _BASE64.fullmatch(text):
        blocks = [text]
    rest = _BLOCK.sub("", text).strip() if blocks and "-----" in text else ""
    if not blocks or rest:
        raise failures.bad_certificate()
    return usable([from_base64(block) for block in blocks])


def from_base64(text: str) -> x509.Certificate:
    """A certificate as metadata contain it. Raises WebApiFailed."""
    pem = f"-----BEGIN CERTIFICATE-----\n{''.join(text.split())}\n-----END CERTIFICATE-----\n"
    try:
        return x509.load_pem_x509_certificate(pem.encode())
    except (ValueError, UnicodeEncodeError):
        raise failures.bad_certificate() from None


def usable(certificates: Sequence[x509.Certificate]) -> tuple[x509.Certificate, ...]:
    """The same certificates, each once. Raises WebApiFailed when a key is too weak or there are too many."""
    once = tuple(dict.fromkeys(certificates))
    if not 0 < len(once) <= MOST_CERTIFICATES:
        raise failures.certificate_count(MOST_CERTIFICATES)
    for certificate in once:
        if not _is_strong(certificate):
            raise failures.weak_key(_subject(certificate))
    return once


def valid_now(certificates: Sequence[x509.Certificate], now: datetime) -> tuple[x509.Certificate, ...]:
    """Those whose time has come and is not over."""
    return tuple(
        certificate
        for certificate in certificates
        if certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc
    )


def as_text(certificates: Sequence[x509.Certificate]) -> str:
    """PEM blocks in a row."""
    return "".join(certificate.public_bytes(serialization.Encoding.PEM).decode() for certificate in certificates)


def shown(certificate: x509.Certificate) -> Shown:
    digest = certificate.fingerprint(hashes.SHA256()).hex(":").upper()
    return Shown(_subject(certificate), digest, certificate.not_valid_after_utc)


def own_pair(name: str, now: datetime) -> tuple[Secret, str]:
    """A new key of ours, and its certificate; both PEM. Providers compare the certificate only, so it signs itself."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=3072)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name[:64])])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _OWN_LIFETIME)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return Secret(pem.decode()), as_text([certificate])


def own_key(pem: Secret) -> rsa.RSAPrivateKey:
    """The private key that `own_pair` made."""
    key = serialization.load_pem_private_key(pem.reveal().encode(), None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError("the stored key is not an RSA key")
    return key


def _is_strong(certificate: x509.Certificate) -> bool:
    try:
        key = certificate.public_key()
    except (ValueError, UnsupportedAlgorithm):
        return False
    if isinstance(key, rsa.RSAPublicKey):
        return key.key_size >= _LEAST_RSA_BITS
    return isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, _CURVES)


def _subject(certificate: x509.Certificate) -> str:
    try:
        text = certificate.subject.rfc4514_string()
    except ValueError:
        text = ""
    return "".join(char for char in text if char.isprintable())[:200] or "?"
