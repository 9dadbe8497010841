"""Expected errors of recording."""

from typing import ClassVar

from postern.kernel.errors import PosternError


class RecordingFailed(PosternError):
    """The session cannot be recorded, or its recording cannot be trusted any more.

    `reserve` is True if the session was refused or ended because the disk has reached its reserve.
    """

    code: ClassVar[str] = "recording_failed"
    status: ClassVar[int] = 503

    def __init__(self, message: str, *, reserve: bool = False) -> None:
        super().__init__(message)
        self.reserve = reserve


class SnapshotUnavailable(PosternError, TimeoutError):
    """No snapshot of the session's screen is available now. It is also a `TimeoutError`, because waiting longer may
    help.
    """

    code: ClassVar[str] = "snapshot_unavailable"
    status: ClassVar[int] = 503
