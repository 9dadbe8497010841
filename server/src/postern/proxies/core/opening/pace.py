"""The pace at which sessions are opened, per user and in total.

Each session takes a credential, and the control plane limits the credentials that a proxy gets per minute. Without this
pace one user's loop of `ssh … true` would use them up. Then everybody is refused, and an alarm reports a possible theft
of credentials.
"""

from typing import Final
from uuid import UUID

from postern.proxies.core.pace import FairPace
from postern.proxies.core.shared_settings import SharedSettings

#: Sessions for this many seconds may be opened at once, because a playbook starts with all of its hosts.
_BURST_S: Final = 6.0
#: Shares of the control plane's limit. In total 0.9, which with the burst is 99 % of it in any minute. Per user less,
#: so that others get their share.
_SHARE_OF_ALL: Final = 0.9
_SHARE_OF_EACH: Final = 2 / 3


class OpeningPace:
    """Decides when each user may open the next session."""

    def __init__(self, settings: SharedSettings) -> None:
        self._settings = settings
        self._pace = FairPace(
            each_s=lambda: self._interval_s(_SHARE_OF_EACH),
            all_s=lambda: self._interval_s(_SHARE_OF_ALL),
            burst_s=_BURST_S,
        )

    async def turn(self, user_id: UUID) -> None:
        """Wait until this user may open a session. Requests are served in order."""
        await self._pace.turn(user_id)

    def _interval_s(self, share: float) -> float:
        return 60 / (share * self._settings.current.credentials_a_minute)
