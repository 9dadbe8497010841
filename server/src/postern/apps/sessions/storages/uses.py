"""Who uses storages. Terminals and recordings are above this folder: they provide how to count and rename uses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from postern.apps.sessions.storages.models import Storage
from postern.foundation.caller.actor import Actor
from postern.foundation.database.uses import Use
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True)
class StorageUses:
    """`counts`: uses that keep a storage from being deleted. `rename`: makes those follow that store its name.

    `holds`: whether recordings lie in the storage. `sample`: the path of one of them; "" when there is none.
    """

    counts: Sequence[Callable[[Storage], Use]]
    rename: Callable[[Actor, Storage, str], None]
    holds: Callable[[Storage], bool]
    sample: Callable[[Storage], str]


USES: Final = Provided[StorageUses]("the uses of storages")
