"""Expected failures of recording."""

from typing import ClassVar

from postern.kernel.errors import PosternError


class RecordingFailed(PosternError):
    """The session cannot be recorded, or its recording can no longer be trusted.

    `reserve` is True when a session was refused, or had to end, because the disk has reached its reserve.
    """

    code: ClassVar[str] = "recording_failed"
    status: ClassVar[int] = 503

    def __init__(self, message: str, *, reserve: bool = False) -> None:
        super().__init__(message)
        self.reserve = reserve


class SnapshotUnavailable(PosternError, TimeoutError):
    """There is no picture of the session's screen right now. A `TimeoutError` too: waiting longer may help."""

    code: ClassVar[str] = "snapshot_unavailable"
    status: ClassVar[int] = 503
