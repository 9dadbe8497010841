"""The file of key-encryption keys, which is stored outside the database and its backups.

    {"current": 2, "keys": {"1": {"key": "<base64, 32 bytes>", "created": "<ISO 8601>"}, "2": {…}}}

Every process that decrypts secrets reads the file and detects a new version by its stamp, so a rotation needs no
restart. New versions are written to a temporary file, synced and renamed: a crash leaves the old file intact.
"""

import base64
import fcntl
import json
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.vault.sealed_secrets.sealing import KEY_BYTES
from postern.foundation.phrases import Phrase
from postern.kernel.clock import now
from postern.kernel.errors import Unavailable
from postern.kernel.secret import Secret

_NO_VERSION: Final = Phrase(
    "vault.key_version_missing", _("The key file has no key of version %(version)d; restore it from its backup.")
)
_MISSING: Final = Phrase(
    "vault.key_file_missing", _("The file of key-encryption keys is missing; restore it from its backup.")
)
_TOO_OPEN: Final = Phrase(
    "vault.key_file_too_open", _("The file of key-encryption keys must be readable by its owner only (mode 0600).")
)
_UNREADABLE: Final = Phrase(
    "vault.key_file_unreadable", _("The file of key-encryption keys cannot be read; restore it from its backup.")
)
_DAMAGED: Final = Phrase(
    "vault.key_file_damaged", _("The file of key-encryption keys is damaged; restore it from its backup.")
)


class KeyringUnusable(Unavailable):
    """The key file is missing, damaged, readable by others, or lacks the requested version."""

    code = "keyring_unusable"


@dataclass(frozen=True, slots=True)
class KeyEncryptionKey:
    version: int
    key: Secret  # base64 of 32 bytes
    created: datetime

    def raw(self) -> bytes:
        return base64.b64decode(self.key.reveal())


@dataclass(frozen=True, slots=True)
class _Content:
    current: int
    keys: dict[int, KeyEncryptionKey]


class Keyring:
    """Reads and replaces one key file. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._content: _Content | None = None

    def current(self) -> KeyEncryptionKey:
        """The key that encrypts new secrets."""
        content = self._load()
        return content.keys[content.current]

    def version(self, version: int) -> KeyEncryptionKey:
        """The key of that version. Raises `KeyringUnusable` when the file does not contain it."""
        key = self._load().keys.get(version)
        if key is None:
            raise KeyringUnusable(_NO_VERSION.say(version=version))
        return key

    def versions(self) -> dict[int, datetime]:
        """Versions in the file and their creation times."""
        return {version: key.created for version, key in self._load().keys.items()}

    def exists(self) -> bool:
        return self._path.exists()

    def create(self) -> None:
        """Write a new file with one key, unless another process was faster. Never replaces a file."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = _Content(current=1, keys={1: _new_key(1)})
        temporary = self._write_temporary(content)
        try:
            os.link(temporary, self._path)  # unlike a rename, a link fails when the file exists
        except FileExistsError:
            pass
        finally:
            temporary.unlink()

    def add_version(self) -> KeyEncryptionKey:
        """Add a key and make it the current key."""
        with self._lock, self._alone():
            content = self._read()
            key = _new_key(max(content.keys) + 1)
            self._replace(_Content(current=key.version, keys={**content.keys, key.version: key}))
            return key

    def remove_versions(self, versions: set[int]) -> None:
        """Remove unused keys. The current key is never removed."""
        with self._lock, self._alone():
            content = self._read()
            remaining_keys = {
                number: key
                for number, key in content.keys.items()
                if number == content.current or number not in versions
            }
            self._replace(_Content(current=content.current, keys=remaining_keys))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the file against other processes: of two processes that add a key at once, one would lose its key."""
        lock = os.open(self._path.with_name(f"{self._path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _load(self) -> _Content:
        stamp = self._file_stamp()
        with self._lock:
            if self._content is None or stamp != self._stamp:
                self._content = self._read()
                self._stamp = stamp
            return self._content

    def _file_stamp(self) -> tuple[int, int, int]:
        try:
            file_stat = self._path.stat()
        except OSError as error:
            raise KeyringUnusable(_MISSING.say()) from error
        return file_stat.st_mtime_ns, file_stat.st_ino, file_stat.st_size

    def _read(self) -> _Content:
        try:
            if self._path.stat().st_mode & 0o077:
                raise KeyringUnusable(_TOO_OPEN.say())
            document = json.loads(self._path.read_text("ascii"))
            keys = {
                int(version): KeyEncryptionKey(
                    version=int(version), key=Secret(entry["key"]), created=datetime.fromisoformat(entry["created"])
                )
                for version, entry in document["keys"].items()
            }
            content = _Content(current=int(document["current"]), keys=keys)
            sound = content.current in keys and all(len(key.raw()) == KEY_BYTES for key in keys.values())
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise KeyringUnusable(_UNREADABLE.say()) from error
        if not sound:
            raise KeyringUnusable(_DAMAGED.say())
        return content

    def _replace(self, content: _Content) -> None:
        temporary = self._write_temporary(content)
        temporary.replace(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._content = None

    def _write_temporary(self, content: _Content) -> Path:
        document = {
            "current": content.current,
            "keys": {
                str(number): {"key": key.key.reveal(), "created": key.created.isoformat()}
                for number, key in sorted(content.keys.items())
            },
        }
        # mkstemp creates the file with mode 0600
        descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=".kek-")
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(document, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        return Path(name)


def _new_key(version: int) -> KeyEncryptionKey:
    raw = os.urandom(KEY_BYTES)
    return KeyEncryptionKey(version=version, key=Secret(base64.b64encode(raw).decode("ascii")), created=now())
