"""The recording of a program without a terminal: its command line, its three streams, and their recognised protocol."""

from collections.abc import Mapping
from typing import Final

from postern.contracts.recording.format import MARK, json_bytes
from postern.contracts.recording.streams import COMMAND, Stream
from postern.proxies.core.recording.stream_protocols import ProtocolRecogniser
from postern.proxies.core.recording.streams import PIECE_BYTES, EventWriter, OnEvent, StreamAccount, StreamKeeper
from postern.proxies.core.recording.transfer_commands import transfer_in
from postern.proxies.core.recording.whole_input import InputKeeper
from postern.proxies.core.terminal_modes import describe

#: Maximum input of a program that is recorded, unless a setting changes it.
MAX_INPUT_BYTES: Final = 1 << 30


class ProgramRecording:
    """The three streams of a program without a terminal."""

    def __init__(
        self, recorder: EventWriter, on_event: OnEvent, command: bytes = b"", *, max_input_bytes: int = MAX_INPUT_BYTES
    ) -> None:
        """`command` is written first and completely."""
        self._recorder = recorder
        self._on_event = on_event
        self._recogniser = ProtocolRecogniser()
        self._input = InputKeeper(recorder, on_event, transfer_in(command), max_input_bytes)
        self._keepers: dict[Stream, StreamKeeper] = {
            Stream.INPUT: self._input,
            Stream.OUTPUT: StreamKeeper(Stream.OUTPUT, recorder, on_event),
            Stream.ERROR: StreamKeeper(Stream.ERROR, recorder, on_event),
        }
        write_command(recorder, command, on_event)

    @property
    def protocol(self) -> str:
        """The recognised protocol; empty while it is unknown."""
        return self._recogniser.protocol

    def take(self, stream: Stream, data: bytes) -> None:
        """Record `data` before it is forwarded. Raises `InputTooLong` and what the recorder raises."""
        if data:
            self._keepers[stream].take(data)
            if self._recogniser.is_looking and stream is not Stream.ERROR:
                self._recogniser.take(data, from_person=stream is Stream.INPUT)
                self._input.protocol = self.protocol

    def account(self, stream: Stream) -> StreamAccount:
        return self._keepers[stream].account()

    def close(self) -> None:
        """Record the end of the program. Raises what the recorder raises."""
        for keeper in self._keepers.values():
            keeper.close(self.protocol)


def write_environment(
    recorder: EventWriter, environment: Mapping[bytes, bytes], modes: Mapping[int, int] | None = None
) -> None:
    """Record the variables and terminal modes that the user's client set for the program, as a mark.

    Each takes one line, whatever a variable contains.
    """
    variables = (b"=".join(item).decode("utf-8", "backslashreplace") for item in sorted(environment.items()))
    lines = [f"terminal modes: {describe(modes)}"] if modes else []
    lines += [variable.replace("\n", "\\n") for variable in variables]
    if lines:
        recorder.event(MARK, json_bytes({"name": "environment", "text": "\n".join(lines)}))


def write_command(recorder: EventWriter, command: bytes, on_event: OnEvent | None = None) -> None:
    """Record a command line of any length, unchanged."""
    for start in range(0, len(command), PIECE_BYTES):
        piece = command[start : start + PIECE_BYTES]
        recorder.event(COMMAND, piece)
        if on_event is not None:
            on_event(COMMAND, piece)
