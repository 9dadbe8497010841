"""How fast sessions are opened, for each person and for all. Each takes a credential, and of these a proxy gets so many in a minute.

Without it one person's loop of `ssh … true` would use them up: then everybody is refused, and an alarm tells of a thief.
"""

from typing import Final
from uuid import UUID

from postern.proxies.core.pace import FairPace
from postern.proxies.core.shared_settings import SharedSettings

#: Sessions of so many seconds are opened at once: a playbook begins with all its hosts.
_BURST_S: Final = 6.0
#: Shares of what the control plane gives. Of all: with the burst 99 % within any minute. Of a person: the rest get theirs.
_SHARE_OF_ALL: Final = 0.9
_SHARE_OF_EACH: Final = 2 / 3


class OpeningPace:
    """Whose turn it is to open a session."""

    def __init__(self, settings: SharedSettings) -> None:
        self._settings = settings
        self._pace = FairPace(
            each_s=lambda: self._interval_s(_SHARE_OF_EACH),
            all_s=lambda: self._interval_s(_SHARE_OF_ALL),
            burst_s=_BURST_S,
        )

    async def turn(self, user_id: UUID) -> None:
        """Wait until this person may open a session: in the order of asking."""
        await self._pace.turn(user_id)

    def _interval_s(self, share: float) -> float:
        return 60 / (share * self._settings.current.credentials_a_minute)
