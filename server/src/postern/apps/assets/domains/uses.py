"""What apps above the assets have in a domain, so that it is not deleted behind the back of those who rely on it."""

from collections.abc import Callable, Sequence
from typing import Final

from postern.apps.assets.tree.models import Domain
from postern.foundation.database.uses import Use
from postern.foundation.provided import Provided

OTHERS: Final = Provided[Sequence[Callable[[Domain], Use]]]("the uses of domains by other apps")
