"""What happened to the licence; published after the transaction has committed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LicenceExpiring:
    """The licence ends within the week, or has ended. `date_expired` is an ISO date; told once a day."""

    corporation: str
    date_expired: str
    days_left: int
