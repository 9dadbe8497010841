"""The limit of open files and sockets of this process and of its future children."""

import logging
import resource
from typing import Final

log = logging.getLogger(__name__)

_ENOUGH: Final = 65536


def raise_open_file_limit() -> int:
    """Raise the soft limit, up to the hard limit. Returns the limit in force."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(_ENOUGH, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError) as error:
            log.warning("cannot raise the limit of open files, which stays at %d: %s", soft, error)
            return soft
        return wanted
    return soft
