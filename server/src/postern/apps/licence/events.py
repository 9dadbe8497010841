"""Events of the licence, published after the transaction has committed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LicenceExpiring:
    """The licence ends within a week, or has ended. `date_expired` is an ISO date. Published at most once a day."""

    corporation: str
    date_expired: str
    days_left: int
