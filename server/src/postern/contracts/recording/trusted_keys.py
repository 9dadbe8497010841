"""The public keys that this installation trusts for sealed recordings: one file per key in a folder, named by key id.

    secrets/recording_signing_key.pem     the current private key; rotation replaces it
    secrets/recording_signing_key.pub     its public key: 64 hex digits and a line end
    secrets/recording_keys/<key id>.pub   every public key that has sealed recordings here, and other trusted keys

A recording contains the id of its key. That id is a claim until the seal has been verified with the key stored here: a
key is trusted because of its location, never because a file names it.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from postern.contracts.recording.format import RecordingUnreadable, key_id
from postern.contracts.recording.offline_verifier import parse_public_key
from postern.contracts.recording.reader import Recording
from postern.contracts.recording.verification import Verdict, verify

PRIVATE_KEY: Final = "recording_signing_key.pem"
PUBLIC_KEY: Final = "recording_signing_key.pub"
FOLDER: Final = "recording_keys"
_ID: Final = re.compile(r"[0-9a-f]{16}\Z")


class TrustedKeys:
    """The public keys in a folder of secrets. Keys of another purpose have another folder and another current key."""

    def __init__(self, secrets_dir: Path, *, folder: str = FOLDER, public_key: str = PUBLIC_KEY) -> None:
        self.folder = secrets_dir / folder
        self._present = secrets_dir / public_key

    def path_of(self, name: str) -> Path:
        """Path of the key with this id."""
        return self.folder / f"{name}.pub"

    def find(self, name: str) -> bytes | None:
        """The 32-byte key with this id; None when no such key is trusted, or its file contains a different key."""
        if not _ID.match(name):
            return None
        for path in (self.path_of(name), self._present):
            key = _read(path)
            if key is not None and key_id(key) == name:
                return key
        return None

    def ids(self) -> list[str]:
        """The ids of all trusted keys."""
        present = _read(self._present)
        names = {path.stem for path in self.folder.glob("*.pub")} | ({key_id(present)} if present else set())
        return sorted(name for name in names if self.find(name) is not None)


def _read(path: Path) -> bytes | None:
    try:
        return parse_public_key(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def verify_among(file: BinaryIO, find: Callable[[str], bytes | None]) -> Verdict:
    """Like `verify`, with the key that `find` returns for the id in the recording."""
    try:
        claimed = str(Recording.open(file).manifest.get("key_id", ""))
    except (RecordingUnreadable, ValueError):
        claimed = ""
    trusted = find(claimed)
    if trusted is None:
        # Verify with a key that matches nothing: this reports other defects of the file before it reports the unknown
        # key.
        verdict = verify(file, bytes(32))
        detail = verdict.detail if verdict.reason != "other_key" else f"sealed with key {claimed}, which is not trusted"
        return Verdict(valid=False, reason=verdict.reason, detail=detail)
    return verify(file, trusted)
