"""The storages that every installation has."""

from postern.apps.sessions.storages.kinds import CommandStorageType, ReplayStorageType
from postern.apps.sessions.storages.models import (
    DEFAULT_COMMAND_STORAGE_ID,
    DEFAULT_NAME,
    DEFAULT_REPLAY_STORAGE_ID,
    NULL_COMMAND_STORAGE_ID,
    NULL_NAME,
    NULL_REPLAY_STORAGE_ID,
    CommandStorage,
    ReplayStorage,
)


def ensure() -> None:
    """Create missing built-in storages; existing rows are not changed."""
    for model, default, null, kinds in (
        (ReplayStorage, DEFAULT_REPLAY_STORAGE_ID, NULL_REPLAY_STORAGE_ID, ReplayStorageType),
        (CommandStorage, DEFAULT_COMMAND_STORAGE_ID, NULL_COMMAND_STORAGE_ID, CommandStorageType),
    ):
        has_default = model.objects.filter(is_default=True).exists()
        model.objects.get_or_create(
            id=default, defaults={"name": DEFAULT_NAME, "type": kinds.SERVER, "is_default": not has_default}
        )
        model.objects.get_or_create(id=null, defaults={"name": NULL_NAME, "type": kinds.NULL})
