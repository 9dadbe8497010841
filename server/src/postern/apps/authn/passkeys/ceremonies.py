"""The messages of WebAuthn, checked by the library `webauthn`. Pure functions: no database, no clock.

Input from browsers is untrusted: any error of the library is a refusal.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from webauthn import (
    base64url_to_bytes,
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from postern.apps.authn.passkeys.site import Site

#: Time limit of the user in the browser, in milliseconds. The limit of the server is in `requests`.
TIMEOUT_MS: Final = 120_000
SITE_NAME: Final = "Postern"
#: The specification allows ids of up to 1,023 bytes.
_MAX_ID_BYTES: Final = 1_023
_MAX_KEY_BYTES: Final = 2_048


class InvalidAnswer(ValueError):
    """An answer that is malformed, forged, for another site or challenge, or without the user's presence."""


@dataclass(frozen=True, slots=True)
class KnownPasskey:
    """A stored passkey, as WebAuthn messages identify it."""

    credential_id: bytes
    transports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewPasskey:
    """A new passkey of an authenticator."""

    credential_id: bytes
    public_key: bytes
    sign_count: int
    transports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PasskeyClaim:
    """The unverified claims of an answer: passkey and user. `user_handle` is None if it is missing."""

    credential_id: bytes
    user_handle: bytes | None


def registration_options(
    site: Site, *, challenge: bytes, user_id: UUID, username: str, name: str, present: Sequence[KnownPasskey]
) -> dict[str, Any]:
    """The browser's `publicKey` argument to register a passkey. Authenticators with a passkey in `present` are
    excluded.
    """
    options = generate_registration_options(
        rp_id=site.rp_id,
        rp_name=SITE_NAME,
        user_id=user_id.bytes,
        user_name=username,
        user_display_name=name,
        challenge=challenge,
        timeout=TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED, user_verification=UserVerificationRequirement.PREFERRED
        ),
        exclude_credentials=_descriptors(present),
    )
    return _plain(options_to_json(options))


def assertion_options(
    site: Site, *, challenge: bytes, allowed: Sequence[KnownPasskey], needs_pin: bool
) -> dict[str, Any]:
    """The browser's `publicKey` argument of an assertion: one of `allowed`; if empty, any passkey of this site.

    `needs_pin`: the authenticator has to verify the person, by PIN, fingerprint or face.
    """
    verification = UserVerificationRequirement.REQUIRED if needs_pin else UserVerificationRequirement.PREFERRED
    options = generate_authentication_options(
        rp_id=site.rp_id,
        challenge=challenge,
        timeout=TIMEOUT_MS,
        allow_credentials=_descriptors(allowed) or None,
        user_verification=verification,
    )
    return _plain(options_to_json(options))


def verify_registration(answer: Mapping[str, Any], site: Site, *, challenge: bytes) -> NewPasskey:
    """Verify the registration in the browser's answer. Raises InvalidAnswer."""
    try:
        verified = verify_registration_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=site.rp_id,
            expected_origin=site.origin,
        )
    except Exception as error:  # the library raises many types of errors for malformed bytes
        raise InvalidAnswer(str(error)) from error
    if not verified.credential_id or len(verified.credential_id) > _MAX_ID_BYTES:
        raise InvalidAnswer("an id of this length is not allowed")
    if len(verified.credential_public_key) > _MAX_KEY_BYTES:
        raise InvalidAnswer("a key of this length is not allowed")
    return NewPasskey(
        credential_id=verified.credential_id,
        public_key=verified.credential_public_key,
        sign_count=verified.sign_count,
        transports=_transports(answer),
    )


def read_claim(answer: Mapping[str, Any]) -> PasskeyClaim:
    """The unverified claims of an answer. Raises InvalidAnswer when the passkey is missing."""
    response = answer.get("response")
    handle = response.get("userHandle") if isinstance(response, Mapping) else None
    raw = answer.get("rawId")
    try:
        if not isinstance(raw, str) or (handle is not None and not isinstance(handle, str)):
            raise InvalidAnswer("no id")
        return PasskeyClaim(
            credential_id=base64url_to_bytes(raw), user_handle=base64url_to_bytes(handle) if handle else None
        )
    except ValueError as error:
        raise InvalidAnswer("no id") from error


def verify_assertion(
    answer: Mapping[str, Any], site: Site, *, challenge: bytes, public_key: bytes, sign_count: int, needs_pin: bool
) -> int:
    """Verify an assertion of this passkey and return its counter. Raises InvalidAnswer, also if the counter did not
    increase.
    """
    try:
        verified = verify_authentication_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=site.rp_id,
            expected_origin=site.origin,
            credential_public_key=public_key,
            credential_current_sign_count=sign_count,
            require_user_verification=needs_pin,
        )
    except Exception as error:  # as above
        raise InvalidAnswer(str(error)) from error
    return verified.new_sign_count


def hash_of(credential_id: bytes) -> str:
    """The stored hash by which a passkey is found: 64 hexadecimal digits."""
    return hashlib.sha256(credential_id).hexdigest()


def _descriptors(passkeys: Sequence[KnownPasskey]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            id=passkey.credential_id, transports=[AuthenticatorTransport(name) for name in passkey.transports] or None
        )
        for passkey in passkeys
    ]


def _transports(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """The transports of the authenticator according to the browser; only names that the library supports."""
    response = answer.get("response")
    names = response.get("transports") if isinstance(response, Mapping) else None
    supported = {transport.value for transport in AuthenticatorTransport}
    texts = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return tuple(sorted(supported.intersection(texts)))


def _plain(text: str) -> dict[str, Any]:
    options: dict[str, Any] = json.loads(text)
    return options
