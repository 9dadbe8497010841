"""Expected failures of retention, each with a stable code."""

from postern.kernel.errors import PosternError


class DaysBeyondLimits(PosternError):
    """The days of an organization are outside the limits of the settings."""

    code = "days_beyond_limits"
    status = 400
