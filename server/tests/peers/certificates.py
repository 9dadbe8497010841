"""Certificates of servers of tests, each with a certificate authority of its own."""

import ipaddress
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certificate:
    """`chain`: certificate and key of the server. `authority`: the file that a client must trust."""

    chain: Path
    authority: Path

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain)
        return context


def make_certificate(folder: Path, *, name: str = "127.0.0.1", has_expired: bool = False) -> Certificate:
    """A certificate authority of its own, and a certificate of it for an address or a name."""
    folder.mkdir(parents=True, exist_ok=True)
    issuer_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority of a test")])
    start, end = datetime.now(UTC) - timedelta(days=9), datetime.now(UTC) + timedelta(days=2)

    def builder(subject: x509.Name, public_key: ec.EllipticCurvePublicKey, end: datetime) -> x509.CertificateBuilder:
        made = x509.CertificateBuilder(issuer, subject, public_key, x509.random_serial_number(), start, end)
        return made.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )

    authority = (
        builder(issuer, issuer_key.public_key(), end)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(issuer_key.public_key()), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )
    try:
        alternative: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        alternative = x509.DNSName(name)
    leaf_end = datetime.now(UTC) - timedelta(days=1) if has_expired else end
    leaf = (
        builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key.public_key(), leaf_end)
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    chain, trusted = folder / "server.pem", folder / "authority.pem"
    chain.write_bytes(leaf.public_bytes(pem) + private)
    trusted.write_bytes(authority.public_bytes(pem))
    return Certificate(chain, trusted)
