"""Periodic task of the directory."""

from typing import Final

from celery import shared_task

from postern.apps.directory import reading
from postern.foundation.parts.schedule import every

#: Interval of the check. It resumes readings that a restart interrupted; a request wakes the worker at once.
_SOON_S: Final = 3.0


@shared_task(name=reading.READ)  # type: ignore[untyped-decorator]  # celery has no types
def read_directory() -> bool:
    """Read the directory if a reading is due. The worker has the key file that decrypts the bind password."""
    return reading.run_due()


BEAT: Final = {"directory: read": every(read_directory, _SOON_S)}
