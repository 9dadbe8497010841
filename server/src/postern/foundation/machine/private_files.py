"""The data folder belongs to its owner alone: files 0600, folders 0700, whatever they were before.

Every process sets its umask first (`make_private`), so that what it creates is private from its first byte, whichever
library creates it (SQLite, Redis, Celery's schedule). The start of the product then corrects what exists already
(`correct_rights`): an older version, a restored backup or an operator may have left wider rights.
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
#: What stays of a file's rights; nothing in the data folder is a program.
_OF_FILES: Final = 0o600
#: Corrected files that are named in the log; of the rest only the number is told.
_NAMED: Final = 20


def make_private() -> None:
    """From now on this process, and every child of it, creates files that only their owner can reach."""
    os.umask(PRIVATE_UMASK)


def private_folder(path: Path) -> Path:
    """`path` as a folder of 0700 of this user, made when it is missing.

    Raises SettingsError when it is no folder, or somebody else's: a folder in the system's temporary folder could
    have been put there by another user, who could then replace the sockets in it.
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
    """Take the rights of group and others from each of `paths` and everything below; returns how many were wider.

    Links are not followed. Files of other users stay as they are, with a line in the log: only their owner may
    change them, and the administrator has to know.
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
    """Each file and folder as a name and the descriptor of the folder it lies in (None: an absolute path)."""
    yield str(path), None
    if path.is_dir():
        for _folder, folders, files, descriptor in os.fwalk(path, follow_symlinks=False):
            for name in (*folders, *files):
                yield name, descriptor


def _correct(name: str, folder: int | None) -> bool:
    """Make one entry private. False when it was so already, is a link, has gone, or is not ours."""
    try:
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return False
    try:
        info = os.fstat(descriptor)
        if stat.S_ISLNK(info.st_mode) or not info.st_mode & _OTHERS:
            return False
        try:
            kept = _OF_FILES if stat.S_ISREG(info.st_mode) else ~_OTHERS
            # By descriptor: between the look and the change nobody can put a link in the file's place.
            os.chmod(f"/proc/self/fd/{descriptor}", stat.S_IMODE(info.st_mode) & kept)  # noqa: PTH101 - no path
        except PermissionError:
            log.error("%s can be reached by other users and is not ours to change (uid %d)", name, info.st_uid)  # noqa: TRY400 - no trace wanted
            return False
        return True
    finally:
        os.close(descriptor)
