"""Where recordings lie: in the folder of this server, in which they arrive, or in a remote storage."""

from uuid import UUID

from django.conf import settings

from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.storages import remote
from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.integrations.replay_storages.port import RecordingStore, ReplayStorage


def replay_storage() -> ReplayStorage:
    """The store in which recordings arrive: a folder in the data folder."""
    return LocalFolder(settings.POSTERN.home / "replays")


def store_of(storage_id: UUID | None, local: ReplayStorage) -> RecordingStore:
    """The store of a recording, by the storage of its row. Raises OSError, and PosternError of the secret store."""
    return local if storage_id is None else remote.connect_to(storage_id)


def current_place(recording: Recording) -> tuple[UUID | None, str] | None:
    """Storage and path of a recording as they are now; None when the recording was deleted."""
    rows = Recording.objects.filter(pk=recording.pk, date_stored__isnull=False)
    return rows.values_list("storage_id", "path").first()
