"""SSH signatures of long ago whose keys are still held, in little room: eight bytes each, in at most 256 rows for a key.

A signature of an SSH sign-in holds no date, so it could be shown again for as long as its person holds the key. The rows of
`UsedSignature` remember it for a while; afterwards it goes here.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple
from uuid import UUID

from postern.apps.authn.signatures import ssh_proofs
from postern.apps.authn.signatures.models import PastSignatures
from postern.apps.users.models import User

_BYTES: Final = 8
#: Signatures in one row, eight million for a key: one sign-in a second for three months. The oldest make room.
_MOST: Final = 32_768
#: Keys looked at together.
_KEYS: Final = 500


class Signature(NamedTuple):
    """A signature that was taken: whose, with which key, of which connection (hexadecimal digests)."""

    user_id: UUID
    key_hash: str
    connection_hash: str


def knows(signature: Signature) -> bool:
    """Whether it was taken long ago."""
    part, digest = _placed(signature.connection_hash)
    rows = PastSignatures.objects.filter(user_id=signature.user_id, key_hash=signature.key_hash, part=part)
    stored = rows.values_list("digests", flat=True).first()
    return stored is not None and digest in _split(bytes(stored))


def remember(signatures: Iterable[Signature]) -> None:
    """Take these in, those of one key in the order in which they were used. Inside a transaction."""
    fresh: defaultdict[tuple[UUID, str, int], list[bytes]] = defaultdict(list)
    for signature in signatures:
        part, digest = _placed(signature.connection_hash)
        fresh[signature.user_id, signature.key_hash, part].append(digest)
    for user_id, key_hash, part in sorted(fresh):
        row = PastSignatures.objects.select_for_update().filter(user_id=user_id, key_hash=key_hash, part=part).first()
        if row is None:
            row = PastSignatures(user_id=user_id, key_hash=key_hash, part=part, digests=b"")
        kept = dict.fromkeys([*_split(bytes(row.digests)), *fresh[user_id, key_hash, part]])
        row.digests = b"".join(list(kept)[-_MOST:])
        row.save()


def forget_unheld() -> None:
    """Forget those of keys that their person does not hold any more."""
    pairs = list(PastSignatures.objects.order_by().values_list("user_id", "key_hash").distinct())
    for first in range(0, len(pairs), _KEYS):
        some = pairs[first : first + _KEYS]
        owners = User.objects.filter(pk__in={user_id for user_id, _key_hash in some})
        keys = dict(owners.values_list("pk", "public_key"))
        for user_id, key_hash in some:
            if not ssh_proofs.holds_hash(keys.get(user_id, ""), key_hash):
                PastSignatures.objects.filter(user_id=user_id, key_hash=key_hash).delete()


def _placed(connection_hash: str) -> tuple[int, bytes]:
    digest = bytes.fromhex(connection_hash)
    return digest[0], digest[1 : 1 + _BYTES]


def _split(stored: bytes) -> list[bytes]:
    return [stored[place : place + _BYTES] for place in range(0, len(stored), _BYTES)]
