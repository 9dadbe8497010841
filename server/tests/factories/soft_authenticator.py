"""An authenticator in software, for tests: it makes passkeys and signs challenges as a browser's would.

Each step can lie about one thing, so that a test can show that the server notices.
"""

import hashlib
import json
import secrets
from typing import Any, Final
from uuid import UUID

from cbor2 import dumps
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn import base64url_to_bytes
from webauthn.helpers import bytes_to_base64url

from postern.apps.authn.models import Passkey
from postern.apps.authn.passkeys.actions import requests
from postern.apps.authn.second_factors.actions import passkeys
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM

#: Where the console is, unless a test sets another address.
ORIGIN: Final = "http://localhost:8080"
_PRESENT, _VERIFIED, _ATTESTED = 0x01, 0x04, 0x40


class SoftKey:
    """One passkey. `counts` False: it is copied between devices, and always states 0."""

    def __init__(self, *, counts: bool = True, origin: str = ORIGIN, rp_id: str = "localhost") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(32)
        self.counter = 0
        self.user_handle: bytes | None = None
        self._counts = counts
        self._origin = origin
        self._rp_id = rp_id

    def make(self, options: dict[str, Any], *, origin: str | None = None, rp_id: str | None = None) -> dict[str, Any]:
        """The answer to `navigator.credentials.create`."""
        wanted = options["publicKey"]
        self.user_handle = base64url_to_bytes(wanted["user"]["id"])
        numbers = self._key.public_key().public_numbers()
        cose = dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")})
        flags = _PRESENT | _VERIFIED | _ATTESTED
        data = self._data(flags, rp_id) + bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cose
        client = _client("webauthn.create", wanted["challenge"], origin or self._origin)
        attested = dumps({"fmt": "none", "attStmt": {}, "authData": data})
        response = {
            "clientDataJSON": _text(client),
            "attestationObject": _text(attested),
            "transports": ["usb", "odd", {}],
        }
        return self._answer(response)

    def show(
        self,
        options: dict[str, Any],
        *,
        origin: str | None = None,
        rp_id: str | None = None,
        challenge: str | None = None,
        verified: bool = True,
        present: bool = True,
        counter: int | None = None,
        user_handle: UUID | None = None,
        kind: str = "webauthn.get",
    ) -> dict[str, Any]:
        """The answer to `navigator.credentials.get`."""
        self.counter = counter if counter is not None else self.counter + (1 if self._counts else 0)
        flags = (_PRESENT if present else 0) | (_VERIFIED if verified else 0)
        data = self._data(flags, rp_id)
        client = _client(kind, challenge or options["publicKey"]["challenge"], origin or self._origin)
        signature = self._key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        handle = user_handle.bytes if user_handle is not None else self.user_handle
        response = {
            "clientDataJSON": _text(client),
            "authenticatorData": _text(data),
            "signature": _text(signature),
            "userHandle": _text(handle) if handle is not None else None,
        }
        return self._answer(response)

    def _data(self, flags: int, rp_id: str | None) -> bytes:
        hashed = hashlib.sha256((rp_id or self._rp_id).encode()).digest()
        return hashed + bytes((flags,)) + self.counter.to_bytes(4, "big")

    def _answer(self, response: dict[str, Any]) -> dict[str, Any]:
        text = _text(self.id)
        return {"id": text, "rawId": text, "type": "public-key", "clientExtensionResults": {}, "response": response}


def enrolled(user: User, *, name: str = "key", counts: bool = True) -> SoftKey:
    """A passkey of the user, stored by the real actions."""
    key, user = SoftKey(counts=counts), User.objects.get(pk=user.pk)
    begun = requests.begin_registration(user, remote_addr="")
    challenge = requests.take(begun.id, requests.PasskeyPurpose.ENROL, user)
    passkeys.add(
        actor=SYSTEM,
        user=user,
        name=name,
        answer=key.make({"publicKey": begun.options}),
        challenge=challenge,
        keep=None,
    )
    return key


def stored(key: SoftKey) -> Passkey:
    """The row of a passkey."""
    return Passkey.objects.get(credential_id=key.id)


def _client(kind: str, challenge: str, origin: str) -> bytes:
    return json.dumps({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}).encode()


def _text(data: bytes) -> str:
    return bytes_to_base64url(data)
