"""Decrypts an assertion (SAML 2.0 Core section 2.3.4; XML Encryption 1.1), by `cryptography`.

Only AES-GCM, with a key that RSA-OAEP transports. AES-CBC is refused: it authenticates nothing, so whoever watches how
Postern answers altered ciphertexts could read an assertion (Jager and Somorovsky, 2011). RSA 1.5 is refused for the
same reason (Bleichenbacher). Algorithms are judged before anything is decrypted; every failure after that is the same.
"""

from typing import Final

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from postern.integrations.saml import failures
from postern.integrations.saml.documents import Element, children, decoded, only_child, text_of
from postern.integrations.saml.names import XENC, XENC11, ds, saml, xenc, xenc11

#: Bytes of the content key by the algorithm of the content.
CONTENT_KEYS: Final = {f"{XENC11}aes128-gcm": 16, f"{XENC11}aes192-gcm": 24, f"{XENC11}aes256-gcm": 32}
OAEP_MGF1P: Final = f"{XENC}rsa-oaep-mgf1p"
OAEP: Final = f"{XENC11}rsa-oaep"
#: SHA-1 is the default of the standard. OAEP needs no resistance to collisions, so it is as safe as the others here.
_DIGESTS: Final[dict[str, type[hashes.HashAlgorithm]]] = {
    "http://www.w3.org/2000/09/xmldsig#sha1": hashes.SHA1,
    "http://www.w3.org/2001/04/xmlenc#sha256": hashes.SHA256,
    "http://www.w3.org/2001/04/xmldsig-more#sha384": hashes.SHA384,
    "http://www.w3.org/2001/04/xmlenc#sha512": hashes.SHA512,
}
_MASKS: Final[dict[str, type[hashes.HashAlgorithm]]] = {
    f"{XENC11}mgf1sha1": hashes.SHA1,
    f"{XENC11}mgf1sha256": hashes.SHA256,
    f"{XENC11}mgf1sha384": hashes.SHA384,
    f"{XENC11}mgf1sha512": hashes.SHA512,
}
_SHA1: Final = "http://www.w3.org/2000/09/xmldsig#sha1"
_MGF1_SHA1: Final = f"{XENC11}mgf1sha1"
_ELEMENT: Final = f"{XENC}Element"
_NONCE_BYTES, _TAG_BYTES = 12, 16


def decrypted(holder: Element, key: RSAPrivateKey) -> bytes:
    """The document in an `EncryptedAssertion`. Nothing says who wrote it: anybody has our public key.

    Raises WebApiFailed.
    """
    data = only_child(holder, xenc("EncryptedData"))
    if data is None or data.get("Type", _ELEMENT) != _ELEMENT or len(list(holder.iter(xenc("EncryptedData")))) != 1:
        raise failures.not_decrypted()
    size = CONTENT_KEYS.get(_algorithm(data))
    if size is None:
        raise failures.weak_encryption(_algorithm(data))
    wrapped = _wrapped_key(holder, data)
    transport = _transport(wrapped)
    sealed, content = _value(wrapped), _value(data)
    if len(content) <= _NONCE_BYTES + _TAG_BYTES:
        raise failures.not_decrypted()
    try:
        content_key = key.decrypt(sealed, transport)
        if len(content_key) != size:
            raise failures.not_decrypted()
        return AESGCM(content_key).decrypt(content[:_NONCE_BYTES], content[_NONCE_BYTES:], None)
    except (ValueError, InvalidTag, UnsupportedAlgorithm):
        raise failures.not_decrypted() from None


def _wrapped_key(holder: Element, data: Element) -> Element:
    """The one encrypted key: in the `KeyInfo` of the content, or beside it."""
    info = only_child(data, ds("KeyInfo"))
    inside = children(info, xenc("EncryptedKey")) if info is not None else []
    keys = [*inside, *children(holder, xenc("EncryptedKey"))]
    if len(keys) != 1 or len(list(holder.iter(xenc("EncryptedKey")))) != 1:
        raise failures.not_decrypted()
    return keys[0]


def _transport(wrapped: Element) -> padding.OAEP:
    method = only_child(wrapped, xenc("EncryptionMethod"))
    name = method.get("Algorithm", "") if method is not None else ""
    if method is None or name not in {OAEP, OAEP_MGF1P}:
        raise failures.weak_encryption(name)
    if children(method, xenc("OAEPparams")):
        raise failures.weak_encryption("OAEPparams")
    digest = _chosen(method, ds("DigestMethod"), _SHA1)
    mask = _chosen(method, xenc11("MGF"), _MGF1_SHA1) if name == OAEP else _MGF1_SHA1
    if digest not in _DIGESTS or mask not in _MASKS:
        raise failures.weak_encryption(digest if digest not in _DIGESTS else mask)
    return padding.OAEP(mgf=padding.MGF1(_MASKS[mask]()), algorithm=_DIGESTS[digest](), label=None)


def _chosen(method: Element, tag: str, default: str) -> str:
    methods = children(method, tag)
    if len(methods) > 1:
        raise failures.not_decrypted()
    return methods[0].get("Algorithm", "") if methods else default


def _algorithm(data: Element) -> str:
    method = only_child(data, xenc("EncryptionMethod"))
    return method.get("Algorithm", "") if method is not None else ""


def _value(element: Element) -> bytes:
    """The bytes of the cipher. A reference to bytes elsewhere is not followed."""
    cipher = only_child(element, xenc("CipherData"))
    return decoded(text_of(only_child(cipher, xenc("CipherValue")))) if cipher is not None else b""


def is_encrypted(root: Element) -> bool:
    """Whether any part of a document is encrypted."""
    return any(True for _ in root.iter(saml("EncryptedAssertion"), saml("EncryptedID"), saml("EncryptedAttribute")))
