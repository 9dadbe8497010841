"""The entry in the file log for a transfer as a whole: rsync, tar, git, and others under false names.

tar and git may be compressed, so nobody names their files. rsync's files have their own entries as far as they could be
followed. So this entry says what is certain in any case: direction, size, SHA-256 and the command line. The recording
of the session holds the beginning and the end of the bytes.
"""

from typing import Final

from postern.contracts.enums import TransferDirection
from postern.contracts.recording.streams import Stream
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import TargetExit
from postern.proxies.ssh.classification import ExecKind
from postern.proxies.ssh.shown_path import shortened

#: By the command line; what is only recognised on the wire goes by the direction in which more was sent.
_DIRECTIONS: Final = {
    ExecKind.RSYNC_UPLOAD: TransferDirection.UPLOAD,
    ExecKind.RSYNC_DOWNLOAD: TransferDirection.DOWNLOAD,
}

UNNAMED: Final = "the files are not named"


def report_transfer(
    session: LiveSession, kind: ExecKind, command: str, how: TargetExit | None, named: str = UNNAMED
) -> None:
    """Tell the file log of a command that has ended, if it was a transfer. `how` is None when it was cut off; `named`
    says which of its files have entries of their own.
    """
    protocol = session.recognised_protocol or ("rsync" if kind in _DIRECTIONS else "")
    if not protocol:
        return
    sent, received = session.account(Stream.INPUT), session.account(Stream.OUTPUT)
    default = TransferDirection.UPLOAD if sent.size > received.size else TransferDirection.DOWNLOAD
    direction = _DIRECTIONS.get(kind, default)
    carried = sent if direction is TransferDirection.UPLOAD else received
    session.file_transferred(
        direction,
        direction.value,
        shortened(command),
        size=carried.size,
        success=how is not None and how.status == 0,
        detail=f"{protocol}: {named}; all bytes of the stream, SHA-256 {carried.sha256 or 'unknown'}",
    )
