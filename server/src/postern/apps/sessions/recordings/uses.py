"""Recordings that lie in a storage, or are on their way to it or out of it."""

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions.recordings.models import DoomedFile, Recording, RecordingCopy, RecordingMove
from postern.apps.sessions.storages.models import ReplayStorage, Storage
from postern.foundation.database.uses import Use


def by_recordings(storage: Storage) -> Use:
    """The recordings in a storage."""
    count = Recording.objects.filter(storage_id=storage.pk).count() if isinstance(storage, ReplayStorage) else 0
    return Use(label=_("Recordings"), count=count)


def by_copies(storage: Storage) -> Use:
    """The recordings that are copied to a storage, and the files in it that are to be deleted."""
    count = 0
    if isinstance(storage, ReplayStorage):
        count += RecordingCopy.objects.filter(target_id=storage.pk).count()
        count += RecordingMove.objects.filter(Q(source_id=storage.pk) | Q(target_id=storage.pk)).count()
        count += DoomedFile.objects.filter(storage_id=storage.pk).count()
    return Use(label=_("Recordings that are being copied or deleted"), count=count)


def holds(storage: Storage) -> bool:
    """Whether files of recordings lie in a storage, or may soon."""
    return bool(by_recordings(storage).count or by_copies(storage).count)


def sample(storage: Storage) -> str:
    """The path of the recording that was stored first in a storage; "" when it has none."""
    if not isinstance(storage, ReplayStorage) or not storage.is_remote:
        return ""
    rows = Recording.objects.filter(storage_id=storage.pk).order_by("date_stored", "pk")
    return rows.values_list("path", flat=True).first() or ""
