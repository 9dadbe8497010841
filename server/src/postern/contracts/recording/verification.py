"""Verifies that a recording is byte for byte what was sealed with the trusted key.

The checks are in `offline_verifier`, which anybody can run without Postern. This module adds a faster Ed25519
implementation and returns the result as a value.
"""

from dataclasses import dataclass
from typing import BinaryIO, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from postern.contracts.recording.offline_verifier import NotProven, examine

OK: Final = "ok"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`reason` is `ok` or a stable slug; the other fields are set only when `valid`."""

    valid: bool
    reason: str
    detail: str = ""
    size: int = 0
    sha256: str = ""
    session_id: str = ""
    state: str = ""
    chain: str = ""
    key_id: str = ""
    blocks: int = 0
    output_bytes: int = 0
    duration_ms: int = 0


def verify(file: BinaryIO, trusted_public_key: bytes) -> Verdict:
    """Read and verify a whole seekable file. The key (32 bytes) must come from outside, never from the file."""
    try:
        proven = examine(file, trusted_public_key, check_signature=_check_signature)
    except NotProven as answer:
        return Verdict(valid=False, reason=answer.reason, detail=str(answer))
    manifest = proven.manifest
    return Verdict(
        valid=True,
        reason=OK,
        size=proven.size,
        sha256=proven.sha256,
        session_id=str(manifest["session_id"]),
        state=str(manifest["state"]),
        chain=str(manifest["chain"]),
        key_id=str(manifest["key_id"]),
        blocks=proven.blocks,
        output_bytes=int(manifest["output_bytes"]),
        duration_ms=int(manifest.get("duration_ms", 0)),
    )


def _check_signature(public_key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
