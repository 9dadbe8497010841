"""The preview for requests. It may read a million sessions, and everybody who may see it may repeat it: a process
computes one at a time, and gives each result again for a minute.
"""

import threading
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.sessions.recordings import keeping
from postern.apps.sessions.retention.errors import PreviewBusy
from postern.apps.sessions.retention.queries import Forecast, forecast
from postern.foundation.rest.memo import Memo
from postern.kernel.clock import monotonic_s

_KEPT_S: Final = 60.0
#: Results per process: organizations and days that are asked about within a minute.
_MOST_KEPT: Final = 64
_COMPUTING: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Kept:
    rules: keeping.Rules
    until_s: float
    forecasts: list[Forecast]


_KEPT: Final = Memo[_Kept](_MOST_KEPT)


def preview(org_id: UUID | None, *, days: int | None) -> list[Forecast]:
    """As `queries.forecast`, at most a minute old, and always by the rules of this moment. Raises PreviewBusy."""
    rules = keeping.rules()
    kept = _KEPT.find((org_id, days))
    if kept is not None and kept.rules == rules and monotonic_s() < kept.until_s:
        return kept.forecasts
    if not _COMPUTING.acquire(blocking=False):
        raise PreviewBusy(_("Another preview of what would be deleted is being computed. Try again in a few seconds."))
    try:
        forecasts = forecast(org_id, days=days)
    finally:
        _COMPUTING.release()
    _KEPT.keep((org_id, days), _Kept(rules, monotonic_s() + _KEPT_S, forecasts))
    return forecasts
