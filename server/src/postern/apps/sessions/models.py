"""Re-exports all tables of the app for Django's model discovery."""

from postern.apps.sessions.commands.models import Command
from postern.apps.sessions.day_uses.models import CountedDay, DayUse
from postern.apps.sessions.entered_credentials.models import EnteredCredential
from postern.apps.sessions.forwards.models import ForwardedConnection
from postern.apps.sessions.recordings.models import (
    DoomedFile,
    OrganizationRetention,
    Recording,
    RecordingCheckpoint,
    RecordingCopy,
    RecordingMove,
)
from postern.apps.sessions.search.models import RecordingIndex, RecordingPiece
from postern.apps.sessions.sessions.models import (
    ConnectionToken,
    OrderKind,
    ProxyOrder,
    RefusedRequest,
    Session,
    SessionHold,
    WatchToken,
)
from postern.apps.sessions.storages.models import CommandStorage, ReplayStorage
from postern.apps.sessions.terminals.models import Terminal, TerminalSighting, TerminalType
from postern.apps.sessions.transfers.models import FileTransfer
from postern.apps.sessions.viewings.models import Viewing, ViewingForm

__all__ = [
    "Command",
    "CommandStorage",
    "ConnectionToken",
    "CountedDay",
    "DayUse",
    "DoomedFile",
    "EnteredCredential",
    "FileTransfer",
    "ForwardedConnection",
    "OrderKind",
    "OrganizationRetention",
    "ProxyOrder",
    "Recording",
    "RecordingCheckpoint",
    "RecordingCopy",
    "RecordingIndex",
    "RecordingMove",
    "RecordingPiece",
    "RefusedRequest",
    "ReplayStorage",
    "Session",
    "SessionHold",
    "Terminal",
    "TerminalSighting",
    "TerminalType",
    "Viewing",
    "ViewingForm",
    "WatchToken",
]
