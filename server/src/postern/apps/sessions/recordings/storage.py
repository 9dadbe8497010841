"""Which store holds the recordings of this installation."""

from django.conf import settings

from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.integrations.replay_storages.port import ReplayStorage


def replay_storage() -> ReplayStorage:
    """The store of this installation: a folder in its data folder."""
    return LocalFolder(settings.POSTERN.home / "replays")
