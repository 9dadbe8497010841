"""The replay storage of this installation."""

from django.conf import settings

from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.integrations.replay_storages.port import ReplayStorage


def replay_storage() -> ReplayStorage:
    """The store for recordings: a folder in the data folder."""
    return LocalFolder(settings.POSTERN.home / "replays")
