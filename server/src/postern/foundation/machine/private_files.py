"""File modes of the data folder: files are 0600 and folders 0700, so that only their owner can read them.

Every process sets its umask first (`make_private`). Files are then private from the beginning, whichever library
creates them (SQLite, Redis, Celery's schedule). The start of the product corrects existing files (`correct_rights`): an
older version, a restored backup or an operator may have left wider modes.
"""

import logging
import os
import stat
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Final

from postern.kernel.errors import SettingsError

log = logging.getLogger(__name__)

PRIVATE_UMASK: Final = 0o077
_FOLDER_MODE: Final = 0o700
_OTHERS: Final = 0o077
#: Mode bits that files keep; the data folder holds no executables.
_OF_FILES: Final = 0o600
#: How many corrected files are named in the log; the others are only counted.
_NAMED: Final = 20


def make_private() -> None:
    """Set the umask: files that this process and its children create are accessible to their owner only."""
    os.umask(PRIVATE_UMASK)


def private_folder(path: Path) -> Path:
    """Create `path` if necessary and make it a folder with mode 0700.

    Raises SettingsError when it is not a folder or belongs to another user. In the system's temporary folder, another
    user could have created it and could then replace the sockets in it.
    """
    path.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    info = path.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        raise SettingsError(f"{path} must be a folder of the user who runs Postern (uid {os.geteuid()})")
    if info.st_mode & _OTHERS:
        path.chmod(_FOLDER_MODE)
        log.warning("%s could be reached by other users; it is 0700 now", path)
    return path


def correct_rights(*paths: Path) -> int:
    """Remove the rights of group and others from each of `paths` and everything below. Returns the number of
    corrections.

    Links are not followed. Files of other users are logged but not changed, since only their owner may change them.
    """
    corrected = 0
    for path in paths:
        if not path.exists() or path.is_symlink():
            continue
        with closing(_entries(path)) as entries:
            for name, folder in entries:
                if not _correct(name, folder):
                    continue
                corrected += 1
                if corrected <= _NAMED:
                    log.warning("%s below %s could be reached by other users; it is private now", name, path)
    if corrected > _NAMED:
        log.warning("%d further files could be reached by other users; they are private now", corrected - _NAMED)
    return corrected


def _entries(path: Path) -> Generator[tuple[str, int | None]]:
    """Each file and folder as a name and the descriptor of its folder (None: the name is an absolute path)."""
    yield str(path), None
    if path.is_dir():
        for _folder, folders, files, descriptor in os.fwalk(path, follow_symlinks=False):
            for name in (*folders, *files):
                yield name, descriptor


def _correct(name: str, folder: int | None) -> bool:
    """Make one entry private. False when it was private already, is a link, no longer exists, or belongs to another
    user.
    """
    try:
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return False
    try:
        info = os.fstat(descriptor)
        if stat.S_ISLNK(info.st_mode) or not info.st_mode & _OTHERS:
            return False
        try:
            mode_mask = _OF_FILES if stat.S_ISREG(info.st_mode) else ~_OTHERS
            # Change the mode by descriptor, so that nobody can replace the file with a link after the check.
            os.chmod(f"/proc/self/fd/{descriptor}", stat.S_IMODE(info.st_mode) & mode_mask)  # noqa: PTH101 - no path
        except PermissionError:
            log.error("%s can be reached by other users and is not ours to change (uid %d)", name, info.st_uid)  # noqa: TRY400 - no trace wanted
            return False
        return True
    finally:
        os.close(descriptor)
