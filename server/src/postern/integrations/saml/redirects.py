"""The redirect binding (SAML 2.0 Bindings section 3.4): messages in addresses, signed as the query is written.

The signature covers the raw text of the query, so it is verified before anything is decoded twice.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import quote, unquote_plus

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from postern.integrations.saml import failures
from postern.integrations.saml.certificates import valid_now
from postern.integrations.saml.names import MOST_BYTES

RSA_SHA256: Final = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
_HASHES: Final[Mapping[str, type[hashes.SHA256] | type[hashes.SHA384] | type[hashes.SHA512]]] = {
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
}
_METHODS: Final = "http://www.w3.org/2001/04/xmldsig-more#"
_MOST_QUERY_CHARS: Final = 64 * 1024
_NAMES: Final = frozenset({"SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature"})


def address(endpoint: str, kind: str, document: bytes, *, relay_state: str, key: rsa.RSAPrivateKey | None) -> str:
    """The endpoint with a message. `kind`: SAMLRequest or SAMLResponse. `key`: ours, to sign it."""
    parameters = {kind: deflated(document), "RelayState": relay_state}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items() if value)
    if key is not None:
        query += f"&SigAlg={quote(RSA_SHA256, safe='')}"
        signature = key.sign(query.encode(), padding.PKCS1v15(), hashes.SHA256())
        query += f"&Signature={quote(base64.b64encode(signature).decode(), safe='')}"
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"


def deflated(document: bytes) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(packer.compress(document) + packer.flush()).decode()


def inflated(text: str) -> bytes:
    """The document of a parameter, as long as it may be. Raises WebApiFailed."""
    unpacker = zlib.decompressobj(-15)
    try:
        content = unpacker.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except (binascii.Error, ValueError, zlib.error):
        raise failures.not_xml() from None
    if not unpacker.eof:
        raise failures.not_xml()
    return content


def parameters_of(query: str) -> dict[str, str]:
    """The raw values of the parameters of the binding, still encoded. Raises WebApiFailed when a parameter is there twice."""
    if len(query) > _MOST_QUERY_CHARS:
        raise failures.not_xml()
    parameters: dict[str, str] = {}
    for part in query.split("&"):
        name, _equals, value = part.partition("=")
        if name not in _NAMES:
            continue
        if name in parameters:
            raise failures.not_xml()
        parameters[name] = value
    return parameters


def require_signed(raw: Mapping[str, str], kind: str, certificates: Sequence[x509.Certificate], now: datetime) -> None:
    """Raises WebApiFailed unless a certificate has signed the raw values of a query."""
    if "Signature" not in raw or "SigAlg" not in raw:
        raise failures.unsigned_message()
    names = [name for name in (kind, "RelayState", "SigAlg") if name in raw]
    content = "&".join(f"{name}={raw[name]}" for name in names).encode()
    algorithm = unquote_plus(raw["SigAlg"])
    scheme, _dash, digest = algorithm.removeprefix(_METHODS).partition("-")
    made = _HASHES.get(digest)
    if not algorithm.startswith(_METHODS) or scheme not in {"rsa", "ecdsa"} or made is None:
        raise failures.weak_algorithm(algorithm)
    try:
        signature = base64.b64decode(unquote_plus(raw["Signature"]).replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        raise failures.bad_signature() from None
    for certificate in valid_now(certificates, now):
        if _is_signed(certificate, scheme, made(), signature, content):
            return
    raise failures.bad_signature()


def _is_signed(
    certificate: x509.Certificate,
    scheme: str,
    digest: hashes.SHA256 | hashes.SHA384 | hashes.SHA512,
    signature: bytes,
    content: bytes,
) -> bool:
    key = certificate.public_key()
    try:
        if scheme == "rsa" and isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, content, padding.PKCS1v15(), digest)
            return True
        if scheme == "ecdsa" and isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, content, ec.ECDSA(digest))
            return True
    except InvalidSignature:
        return False
    return False
