"""Secrets stored beside the database, never in it: one file each with mode 0600, in a folder with mode 0700.

They are created at the first start. Creation is atomic (`O_EXCL` on a temporary name, then `link`), so that two
processes that start at the same time use the same value.
"""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from postern.kernel.errors import SettingsError

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600


def read_or_create(path: Path, make: Callable[[], str]) -> str:
    """The content of the secret file `path`. If it does not exist, it is created with the value of `make()`."""
    try:
        return read(path)
    except FileNotFoundError:
        return _create(path, make())


def read(path: Path) -> str:
    """The content of an existing secret file, without its final newline.

    Raises FileNotFoundError when it does not exist, SettingsError when others can read it.
    """
    with path.open(encoding="utf-8") as file:
        mode = os.fstat(file.fileno()).st_mode & 0o777
        if mode & 0o077:
            raise SettingsError(f"the secret file {path} can be read by others (mode {mode:04o}); make it 0600")
        return file.read().rstrip("\n")


def _create(path: Path, value: str) -> str:
    path.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    path.parent.chmod(_FOLDER_MODE)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(value + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:  # another process created the file first: use its value
            return read(path)
    finally:
        temporary.unlink(missing_ok=True)
    return value
