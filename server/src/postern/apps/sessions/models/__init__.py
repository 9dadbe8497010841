"""Tables of the sessions app."""

from postern.apps.sessions.models.viewings import Viewing, ViewingForm
from postern.apps.sessions.recordings.models import (
    Command,
    DoomedFile,
    FileTransfer,
    Recording,
    RecordingCheckpoint,
    RefusedRequest,
)
from postern.apps.sessions.sessions.models import ConnectionToken, Session, WatchToken
from postern.apps.sessions.terminals.models import OrderKind, ProxyOrder, Terminal, TerminalSighting, TerminalType

__all__ = [
    "Command",
    "ConnectionToken",
    "DoomedFile",
    "FileTransfer",
    "OrderKind",
    "ProxyOrder",
    "Recording",
    "RecordingCheckpoint",
    "RefusedRequest",
    "Session",
    "Terminal",
    "TerminalSighting",
    "TerminalType",
    "Viewing",
    "ViewingForm",
    "WatchToken",
]
