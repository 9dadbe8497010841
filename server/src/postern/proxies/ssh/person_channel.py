"""The user's side of one session channel: what is shown on it, its flow control and its exit."""

import asyncio
from collections.abc import Callable
from typing import Final

from postern.contracts.enums import EndReason
from postern.proxies.core.targets.ports import Pty
from postern.proxies.ssh.front import FrontChannel
from postern.proxies.ssh.line_editor import plain
from postern.proxies.ssh.relay import Outcome

#: Exit status of a session that did not run to its end. ssh itself uses it for a failed connection.
FAILED: Final = 255


class PersonChannel:
    """The channel of one session, from `open` to `gone`. It is the `Front` of a relay. Without a channel nothing
    happens.
    """

    def __init__(self, goodbye_s: float, disconnect: Callable[[], None], *, is_direct: bool) -> None:
        """`is_direct` if the session leads to one host. A menu goes on after the end of a program's output.

        A client that does not read its last output for `goodbye_s` seconds loses its channel. `disconnect` ends the
        whole connection.
        """
        self._goodbye_s = goodbye_s
        self._disconnect = disconnect
        self._is_direct = is_direct
        self._channel: FrontChannel | None = None
        self.pty: Pty | None = None

    def open(self, channel: FrontChannel) -> None:
        self._channel = channel

    def gone(self) -> None:
        """Note that the channel is closed."""
        self._channel = None

    @property
    def is_gone(self) -> bool:
        return self._channel is None

    def environment(self) -> dict[bytes, bytes]:
        """Return the variables that the client has set."""
        return self._channel.environment() if self._channel is not None else {}

    # Data

    def send(self, data: bytes, *, stderr: bool = False) -> None:
        if self._channel is None or not data:
            return
        try:
            if stderr:
                self._channel.write_stderr(data)
            else:
                self._channel.write(data)
        except OSError:
            return  # closing: `connection_lost` follows

    def send_eof(self) -> None:
        if self._channel is not None and self._is_direct:
            self._channel.write_eof()

    def pause(self) -> None:
        if self._channel is not None:
            self._channel.pause_reading()

    def resume(self) -> None:
        if self._channel is not None:
            self._channel.resume_reading()

    # Sentences

    def say(self, text: str) -> None:
        """Show a sentence to the user: on the terminal if there is one, else on standard error."""
        harmless = plain(text)
        if self.pty is not None:
            self.send(harmless.replace("\n", "\r\n").encode() + b"\r\n")
        else:
            self.send(harmless.encode() + b"\n", stderr=True)

    def notice(self, text: str, *, only_terminal: bool) -> None:
        """Show a sentence between the output of a running program."""
        if self.pty is not None:
            self.send(b"\r\n" + plain(text).encode() + b"\r\n")
        elif not only_terminal:
            self.say(text)

    # End

    def finish(self, outcome: Outcome) -> None:
        """Pass on the program's exit, or tell the user why the session ended."""
        how = outcome.exit
        if how is not None and how.status is not None:
            self.exit(how.status)
        elif how is not None and how.signal is not None and self._channel is not None:
            self._channel.exit_with_signal(how.signal, how.core_dumped, how.message)
        elif outcome.reason is not EndReason.USER_CLOSED:
            self.say(("\r\n" if self.pty is not None else "") + outcome.message)
            self.exit(FAILED)
            self._insist(outcome.reason)
        else:
            self.exit(FAILED)

    def exit(self, status: int) -> None:
        if self._channel is not None:
            self._channel.exit(status)

    def _insist(self, reason: EndReason) -> None:
        """Close the channel of a client that does not read its last output."""
        if self._channel is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(self._goodbye_s, self._cut, reason is EndReason.ACCOUNT_CLOSED)

    def _cut(self, whole_connection: bool) -> None:
        if self._channel is not None:
            self._channel.abort()
        if whole_connection:
            self._disconnect()
