"""The file log entry for a transfer as a whole: rsync, tar, git, and renamed programs.

tar and git may be compressed, so their files are not named. rsync's files have their own entries as far as they could
be parsed. So this entry contains what is certain in any case: direction, size, SHA-256 and the command line. The
recording of the session holds the beginning and the end of the bytes.
"""

from typing import Final

from postern.contracts.enums import TransferDirection
from postern.contracts.recording.streams import Stream
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import TargetExit
from postern.proxies.ssh.classification import ExecKind
from postern.proxies.ssh.shown_path import shortened

#: Direction by the command line. For protocols recognised on the wire, the direction with more bytes counts.
_DIRECTIONS: Final = {
    ExecKind.RSYNC_UPLOAD: TransferDirection.UPLOAD,
    ExecKind.RSYNC_DOWNLOAD: TransferDirection.DOWNLOAD,
}

UNNAMED: Final = "the files are not named"


def report_transfer(
    session: LiveSession, kind: ExecKind, command: str, how: TargetExit | None, named: str = UNNAMED
) -> None:
    """Log a finished command if it was a transfer.

    `how` is None if it was cut off. `named` says which of its files have their own entries.
    """
    protocol = session.recognised_protocol or ("rsync" if kind in _DIRECTIONS else "")
    if not protocol:
        return
    sent, received = session.account(Stream.INPUT), session.account(Stream.OUTPUT)
    default = TransferDirection.UPLOAD if sent.size > received.size else TransferDirection.DOWNLOAD
    direction = _DIRECTIONS.get(kind, default)
    carried = sent if direction is TransferDirection.UPLOAD else received
    session.log.file_transferred(
        direction,
        direction.value,
        shortened(command),
        size=carried.size,
        success=how is not None and how.status == 0,
        detail=f"{protocol}: {named}; all bytes of the stream, SHA-256 {carried.sha256 or 'unknown'}",
    )
