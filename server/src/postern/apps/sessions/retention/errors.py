"""Expected failures of retention, each with a stable code."""

from postern.kernel.errors import PosternError, Unavailable


class DaysBeyondLimits(PosternError):
    """The days of an organization are outside the limits of the settings."""

    code = "days_beyond_limits"
    status = 400


class PreviewBusy(Unavailable):
    """The process is computing another preview."""

    code = "retention_preview_busy"
