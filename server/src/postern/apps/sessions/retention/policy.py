"""Which days an organization may choose."""

from django.utils.translation import gettext as _

from postern.apps.sessions.recordings import keeping
from postern.apps.sessions.retention.errors import DaysBeyondLimits


def require_within(allowed: keeping.Limits, days: int) -> None:
    """Raise DaysBeyondLimits for days that an organization may not choose."""
    if not allowed.shortest <= days <= allowed.longest:
        raise DaysBeyondLimits(
            _("Enter a number of days from %(shortest)d to %(longest)d: these are the limits of this installation.")
            % {"shortest": allowed.shortest, "longest": allowed.longest}
        )
