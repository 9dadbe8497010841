"""The messages of WebAuthn, checked by the library `webauthn`. Pure functions: no database, no clock.

Everything that comes from a browser is untrusted: whatever the library raises for it is a refusal.
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

#: Time that browsers give a person, in milliseconds; the server's own limit is in `requests`.
TIMEOUT_MS: Final = 120_000
SITE_NAME: Final = "Postern"
#: The specification allows ids of up to 1,023 bytes.
_MAX_ID_BYTES: Final = 1_023
_MAX_KEY_BYTES: Final = 2_048


class Wrong(ValueError):
    """An answer that is malformed, forged, for another site or challenge, or without the user's presence."""


@dataclass(frozen=True, slots=True)
class Known:
    """A passkey as the messages name it."""

    credential_id: bytes
    transports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A passkey that an authenticator has made."""

    credential_id: bytes
    public_key: bytes
    sign_count: int
    transports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What an answer claims before it is checked: which passkey, and whose. `user_handle` is None if it says nothing."""

    credential_id: bytes
    user_handle: bytes | None


def options_to_make(
    site: Site, *, challenge: bytes, user_id: UUID, username: str, name: str, present: Sequence[Known]
) -> dict[str, Any]:
    """The browser's `publicKey` argument for a new passkey. The user's passkeys (`present`) are not made again."""
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


def options_to_show(site: Site, *, challenge: bytes, allowed: Sequence[Known], needs_pin: bool) -> dict[str, Any]:
    """The browser's `publicKey` argument to show a passkey: one of `allowed`, or any one of this site.

    `needs_pin`: the authenticator has to verify the person, by PIN, fingerprint or face.
    """
    wanted = UserVerificationRequirement.REQUIRED if needs_pin else UserVerificationRequirement.PREFERRED
    options = generate_authentication_options(
        rp_id=site.rp_id,
        challenge=challenge,
        timeout=TIMEOUT_MS,
        allow_credentials=_descriptors(allowed) or None,
        user_verification=wanted,
    )
    return _plain(options_to_json(options))


def check_made(answer: Mapping[str, Any], site: Site, *, challenge: bytes) -> Made:
    """The passkey in the browser's answer. Raises Wrong."""
    try:
        made = verify_registration_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=site.rp_id,
            expected_origin=site.origin,
        )
    except Exception as error:  # the library raises errors of many kinds for malformed bytes
        raise Wrong(str(error)) from error
    if not made.credential_id or len(made.credential_id) > _MAX_ID_BYTES:
        raise Wrong("an id of this length is not allowed")
    if len(made.credential_public_key) > _MAX_KEY_BYTES:
        raise Wrong("a key of this length is not allowed")
    return Made(
        credential_id=made.credential_id,
        public_key=made.credential_public_key,
        sign_count=made.sign_count,
        transports=_transports(answer),
    )


def read_shown(answer: Mapping[str, Any]) -> Shown:
    """Which passkey an answer is about. Raises Wrong when it does not say."""
    response = answer.get("response")
    handle = response.get("userHandle") if isinstance(response, Mapping) else None
    raw = answer.get("rawId")
    try:
        if not isinstance(raw, str) or (handle is not None and not isinstance(handle, str)):
            raise Wrong("no id")
        return Shown(credential_id=base64url_to_bytes(raw), user_handle=base64url_to_bytes(handle) if handle else None)
    except ValueError as error:
        raise Wrong("no id") from error


def check_shown(
    answer: Mapping[str, Any], site: Site, *, challenge: bytes, public_key: bytes, sign_count: int, needs_pin: bool
) -> int:
    """The counter of a right answer that this passkey has signed. Raises Wrong, also for a counter that did not grow."""
    try:
        shown = verify_authentication_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=site.rp_id,
            expected_origin=site.origin,
            credential_public_key=public_key,
            credential_current_sign_count=sign_count,
            require_user_verification=needs_pin,
        )
    except Exception as error:  # as above
        raise Wrong(str(error)) from error
    return shown.new_sign_count


def hash_of(credential_id: bytes) -> str:
    """Finds a passkey by its id: 64 hexadecimal digits."""
    return hashlib.sha256(credential_id).hexdigest()


def _descriptors(known: Sequence[Known]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            id=passkey.credential_id, transports=[AuthenticatorTransport(name) for name in passkey.transports] or None
        )
        for passkey in known
    ]


def _transports(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """How the authenticator is reached, as far as the browser says; only names that the library knows."""
    response = answer.get("response")
    names = response.get("transports") if isinstance(response, Mapping) else None
    known = {transport.value for transport in AuthenticatorTransport}
    texts = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return tuple(sorted(known.intersection(texts)))


def _plain(text: str) -> dict[str, Any]:
    options: dict[str, Any] = json.loads(text)
    return options
