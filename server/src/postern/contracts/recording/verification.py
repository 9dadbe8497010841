"""Is a recording, byte for byte, what was sealed with the trusted key?

The checks themselves stand in `offline_verifier`, which anybody may run without Postern; here they get the fast
Ed25519 and an answer that is a value.
"""

from dataclasses import dataclass
from typing import BinaryIO, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from postern.contracts.recording.offline_verifier import NotProven, examine

OK: Final = "ok"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`reason` is `ok` or a stable slug; the other fields are filled only when `valid`."""

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
    """Read the whole of a seekable file. The key (32 bytes) must come from outside, never from the file."""
    try:
        found = examine(file, trusted_public_key, check_signature=_check_signature)
    except NotProven as answer:
        return Verdict(valid=False, reason=answer.reason, detail=str(answer))
    manifest = found.manifest
    return Verdict(
        valid=True,
        reason=OK,
        size=found.size,
        sha256=found.sha256,
        session_id=str(manifest["session_id"]),
        state=str(manifest["state"]),
        chain=str(manifest["chain"]),
        key_id=str(manifest["key_id"]),
        blocks=found.blocks,
        output_bytes=int(manifest["output_bytes"]),
        duration_ms=int(manifest.get("duration_ms", 0)),
    )


def _check_signature(public_key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
