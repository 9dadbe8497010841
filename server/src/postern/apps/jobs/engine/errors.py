"""What can go wrong with jobs."""

from postern.kernel.errors import PosternError


class UnknownKind(PosternError):
    """No part of this installation declares the kind of a job."""

    code = "job_kind_unknown"


class JobOver(PosternError):
    """The job has reached its final state, so it cannot be cancelled."""

    code = "job_over"


class Stop(Exception):
    """The base of the reasons for which running work ends early. Work lets it pass."""


class Lost(Stop):
    """The job belongs to another worker now, or to none: write nothing."""


class CancelWanted(Stop):
    """A person cancelled the job."""


class TimeUp(Stop):
    """The time limit of the kind is over."""


class LogLost(Stop):
    """The log cannot be written: what would not be recorded does not happen."""


class WorkerStops(Stop):
    """The worker was asked to end."""
