"""`SessionRecording`: what one session writes to its recording, whether a terminal, a program or protocol events."""

import contextlib
import logging
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from postern.contracts.access import SessionGrant
from postern.contracts.enums import EndReason
from postern.contracts.recording.format import Content
from postern.contracts.recording.streams import Stream
from postern.kernel.errors import PosternError
from postern.proxies.core.recording.program_recording import ProgramRecording, write_command, write_environment
from postern.proxies.core.recording.streams import OnEvent, StreamAccount
from postern.proxies.core.recording.whole_input import TerminalInput
from postern.proxies.core.sessions.services import Recorder, SessionServices
from postern.proxies.core.terminal_modes import hide_input

log = logging.getLogger(__name__)

#: Exceptions of a recorder that cannot continue (disk full, failed sync …).
RECORDING_FAULTS: Final = (PosternError, OSError)


class SessionRecording:
    """The recording of one session. Its owner decides what a failure means.

    The writing methods raise `RECORDING_FAULTS`, and for input also `InputTooLong`. They do nothing while `is_on` is
    False: before a recording has started, and after `abandon`.
    """

    def __init__(self, grant: SessionGrant, services: SessionServices, on_event: OnEvent) -> None:
        """`on_event` is called with each event of a program that a live view may show."""
        self._grant = grant
        self._services = services
        self._on_event = on_event
        self._recorder: Recorder | None = None
        self._program: ProgramRecording | None = None
        self._terminal_input: TerminalInput | None = None
        self._protocol = ""

    @property
    def is_on(self) -> bool:
        return self._recorder is not None

    @property
    def failed(self) -> bool:
        """Whether the recording cannot be trusted any more, because a write or sync failed later."""
        return self._recorder is not None and self._recorder.failed

    @property
    def protocol(self) -> str:
        """The protocol of a program without a terminal, recognised by its bytes. Empty if unknown."""
        return self._program.protocol if self._program is not None else self._protocol

    def start(
        self, columns: int, rows: int, *, command: bytes, environment: dict[bytes, bytes], modes: Mapping[int, int]
    ) -> None:
        """Start a recording as described at `LiveSession.record`. On an error, call `abandon`."""
        policy = self._grant.recording
        keeps_keys = bool(columns) and (policy.record_input or bool(command) or hide_input(modes))
        stated = replace(self._grant, recording=replace(policy, record_input=policy.record_input or keeps_keys))
        recorder = self._recorder = self._services.open_recorder(stated, columns, rows)
        write_environment(recorder, environment, modes)
        if keeps_keys:
            self._terminal_input = TerminalInput(recorder, self._services.max_input_bytes)
        if columns:
            write_command(recorder, command)
        else:
            self._program = ProgramRecording(
                recorder, self._on_event, command, max_input_bytes=self._services.max_input_bytes
            )

    def start_events(self, content: Content) -> None:
        """Start a recording of protocol events."""
        self._recorder = self._services.open_recorder(self._grant, 0, 0, content)

    def output(self, data: bytes) -> None:
        """Record output of a terminal."""
        if self._recorder is not None:
            self._recorder.output(data)

    def input(self, data: bytes) -> None:
        """Record input of a terminal, if the policy or the client requires it."""
        if self._terminal_input is not None:
            self._terminal_input.take(data)

    def program_data(self, stream: Stream, data: bytes) -> None:
        """Record or count data of a program without a terminal."""
        if self._program is not None:
            self._program.take(stream, data)

    def event(self, kind: int, data: bytes) -> None:
        """Record a protocol event."""
        if self._recorder is not None:
            self._recorder.event(kind, data)

    def resize(self, columns: int, rows: int) -> None:
        """Record a new terminal size in cells."""
        if self._recorder is not None:
            self._recorder.resize(columns, rows)

    def account(self, stream: Stream) -> StreamAccount | None:
        """Return the byte count and the SHA-256 of one stream of a program. None if no program is recorded."""
        return self._program.account(stream) if self._program is not None else None

    def elapsed_ms(self) -> int | None:
        """Return the time since the start of the recording, or None without a recording."""
        return self._recorder.elapsed_ms() if self._recorder is not None else None

    def end(self, reason: EndReason) -> None:
        """Record the end of the session. Never raises: the session ends in any case."""
        if self._recorder is None:
            return
        try:
            if self._program is not None:
                self._program.close()
            self._recorder.end(reason.value)
        except RECORDING_FAULTS as error:
            log.warning("session %s: the end of the recording could not be written: %s", self._grant.session_id, error)

    def abandon(self) -> None:
        """Stop recording after a failure. The protocol recognised so far remains known."""
        if self._recorder is not None:
            # A recorder that only ran out of space is sealed now instead of when the proxy stops.
            with contextlib.suppress(*RECORDING_FAULTS):
                self._recorder.end(EndReason.CANNOT_RECORD.value)
        self._protocol = self.protocol
        self._recorder = self._program = self._terminal_input = None
