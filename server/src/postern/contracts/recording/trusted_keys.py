"""The public keys that recordings may be sealed with: one file for each, named by the key's id, in one folder.

    secrets/recording_signing_key.pem     the private key that seals now; rotation replaces it
    secrets/recording_signing_key.pub     its public half: 64 hex digits and a line end
    secrets/recording_keys/<key id>.pub   the same of every key that has ever sealed here, and of others that are trusted

A recording names the id of its key. The id is a claim until the seal has been checked with the key that stands under it here:
a key is trusted because of where it lies, never because of what a file says.
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
    """The public keys of a folder of secrets."""

    def __init__(self, secrets_dir: Path) -> None:
        self.folder = secrets_dir / FOLDER
        self._present = secrets_dir / PUBLIC_KEY

    def path_of(self, name: str) -> Path:
        """Where the key with this id stands."""
        return self.folder / f"{name}.pub"

    def find(self, name: str) -> bytes | None:
        """The key of 32 bytes with this id; None when none of that id is trusted, or its file holds another one."""
        if not _ID.match(name):
            return None
        for path in (self.path_of(name), self._present):
            found = _read(path)
            if found is not None and key_id(found) == name:
                return found
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
    """As `verify`, with the trusted key that `find` has under the id which the recording names."""
    try:
        claimed = str(Recording.open(file).manifest.get("key_id", ""))
    except (RecordingUnreadable, ValueError):
        claimed = ""
    trusted = find(claimed)
    if trusted is None:
        # With a key that fits nothing: it says what else is wrong with the file, before it says that the key is another one.
        verdict = verify(file, bytes(32))
        detail = verdict.detail if verdict.reason != "other_key" else f"sealed with key {claimed}, which is not trusted"
        return Verdict(valid=False, reason=verdict.reason, detail=detail)
    return verify(file, trusted)
