"""Compact storage of old SSH signatures whose keys are still in use: eight bytes each, in at most 256 rows per key.

A signature of an SSH sign-in has no date, so it could be replayed as long as its user has the key. `UsedSignature`
stores it for a while; then it moves here.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple
from uuid import UUID

from postern.apps.authn.signatures import ssh_proofs
from postern.apps.authn.signatures.models import PastSignatures
from postern.apps.users.models import User

_BYTES: Final = 8
#: Maximum number of signatures in a row: eight million per key, or one sign-in per second for three months. The oldest
#: are dropped.
_MAX_PER_ROW: Final = 32_768
#: Number of keys in one batch.
_KEYS: Final = 500


class Signature(NamedTuple):
    """An accepted signature: user, key, and connection (hexadecimal digests)."""

    user_id: UUID
    key_hash: str
    connection_hash: str


def is_stored(signature: Signature) -> bool:
    """Whether the signature is stored."""
    part, digest = _placed(signature.connection_hash)
    rows = PastSignatures.objects.filter(user_id=signature.user_id, key_hash=signature.key_hash, part=part)
    stored = rows.values_list("digests", flat=True).first()
    return stored is not None and digest in _split(bytes(stored))


def remember(signatures: Iterable[Signature]) -> None:
    """Store signatures. Signatures of one key must be in the order of use. Must run inside a transaction."""
    fresh: defaultdict[tuple[UUID, str, int], list[bytes]] = defaultdict(list)
    for signature in signatures:
        part, digest = _placed(signature.connection_hash)
        fresh[signature.user_id, signature.key_hash, part].append(digest)
    for user_id, key_hash, part in sorted(fresh):
        row = PastSignatures.objects.select_for_update().filter(user_id=user_id, key_hash=key_hash, part=part).first()
        if row is None:
            row = PastSignatures(user_id=user_id, key_hash=key_hash, part=part, digests=b"")
        digests = dict.fromkeys([*_split(bytes(row.digests)), *fresh[user_id, key_hash, part]])
        row.digests = b"".join(list(digests)[-_MAX_PER_ROW:])
        row.save()


def delete_without_key() -> None:
    """Delete signatures of keys that their users no longer have."""
    pairs = list(PastSignatures.objects.order_by().values_list("user_id", "key_hash").distinct())
    for first in range(0, len(pairs), _KEYS):
        batch = pairs[first : first + _KEYS]
        owners = User.objects.filter(pk__in={user_id for user_id, _key_hash in batch})
        keys = dict(owners.values_list("pk", "public_key"))
        for user_id, key_hash in batch:
            if not ssh_proofs.holds_hash(keys.get(user_id, ""), key_hash):
                PastSignatures.objects.filter(user_id=user_id, key_hash=key_hash).delete()


def _placed(connection_hash: str) -> tuple[int, bytes]:
    digest = bytes.fromhex(connection_hash)
    return digest[0], digest[1 : 1 + _BYTES]


def _split(stored: bytes) -> list[bytes]:
    return [stored[place : place + _BYTES] for place in range(0, len(stored), _BYTES)]
