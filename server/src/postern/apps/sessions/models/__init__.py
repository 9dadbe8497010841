"""Tables of the sessions app."""

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
from postern.apps.sessions.viewings.models import Viewing, ViewingForm

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
