"""One forwarded connection: a channel of the user joined to a channel of the host, without copying or waiting.

A side that does not keep up pauses the other. Nothing of the content is recorded; bytes are counted as traffic of the
session. The end of one direction is passed on alone, as connections of TCP have it.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import asyncssh

from postern.kernel.clock import monotonic_s
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.sessions.session_log import BegunForward
from postern.proxies.ssh_connections.transport import PacedForwardChannel

#: Why a connection ended, as the audit log names it.
BY_CLIENT: Final = "closed by the client"
BY_HOST: Final = "closed by the host"


class Side(asyncssh.SSHTCPSession[bytes], asyncssh.SSHUNIXSession[bytes]):
    """One end of a pipe: the library's session of its channel."""

    def __init__(self, pipe: "Pipe", *, is_host: bool) -> None:
        self._pipe = pipe
        self._is_host = is_host
        self.channel: PacedForwardChannel | None = None
        #: Whether this side takes no more data now.
        self.is_full = False
        self.is_reading = True
        #: Whether this side sends no more data, and whether the other side knows.
        self.has_ended = False
        self.is_end_passed = False

    @property
    def other(self) -> "Side":
        return self._pipe.person if self._is_host else self._pipe.host

    # The library's session

    def connection_made(self, chan: PacedForwardChannel) -> None:  # type: ignore[override]  # always ours
        self.channel = chan

    def session_started(self) -> None:
        self._pipe.side_opened(self)

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:  # noqa: ARG002 - the library calls it so
        if self._is_host:
            self._pipe.from_host(data)
        else:
            self._pipe.from_person(data)

    def eof_received(self) -> bool:
        self.has_ended = True
        self._pipe.pass_ends()
        return True  # the other direction stays open

    def pause_writing(self) -> None:
        self.is_full = True
        self._pipe.pace()

    def resume_writing(self) -> None:
        self.is_full = False
        self._pipe.pace()

    def connection_lost(self, exc: Exception | None) -> None:
        self.channel = None
        self._pipe.side_lost(self, exc)

    # For the pipe

    def read(self, wanted: bool) -> None:
        """Read from this side, or let its data wait in the channel's window."""
        if self.channel is not None and wanted is not self.is_reading:
            self.is_reading = wanted
            if wanted:
                self.channel.resume_reading()
            else:
                self.channel.pause_reading()

    def write(self, data: bytes) -> None:
        if self.channel is not None:
            try:
                self.channel.write(data)
            except OSError:
                return  # closing: `connection_lost` follows

    def write_eof(self) -> None:
        if self.channel is not None:
            self.channel.write_eof()

    def close(self) -> None:
        """Close the channel after it has sent what waits."""
        if self.channel is not None:
            self.channel.close()

    def abort(self) -> None:
        if self.channel is not None:
            self.channel.abort()


class Pipe:
    """Both sides of one forwarded connection, from the host's answer to its end. It reports its end once."""

    def __init__(self, session: LiveSession, begun: BegunForward, *, on_gone: "Callable[[Pipe], None]") -> None:
        self._session = session
        self._begun = begun
        self._on_gone = on_gone
        self._opened_s = monotonic_s()
        #: Whether both channels have been opened.
        self.is_joined = False
        self._reason = ""
        self.bytes_in = 0
        self.bytes_out = 0
        self.person = Side(self, is_host=False)
        self.host = Side(self, is_host=True)

    @property
    def _has_ended(self) -> bool:
        return bool(self._reason)

    # From the sides

    def side_opened(self, side: Side) -> None:
        """Take up a channel. The host's is opened first, and waits for the user's."""
        if side is self.host:
            side.read(False)
            if self._has_ended:  # the host has connected too late
                asyncio.get_running_loop().call_soon(side.abort)
            return
        self.is_joined = True
        if self._has_ended:
            asyncio.get_running_loop().call_soon(side.close)
        # The library starts to read after this call, whatever was asked before.
        asyncio.get_running_loop().call_soon(self._begin_pacing)

    def _begin_pacing(self) -> None:
        self.person.is_reading = True
        self.pace()

    def from_person(self, data: bytes) -> None:
        if self._session.end_reason is None:
            self.bytes_in += len(data)
            self._session.passed(from_person=len(data))
            self.host.write(data)

    def from_host(self, data: bytes) -> None:
        if self._session.end_reason is None:
            self.bytes_out += len(data)
            self._session.passed(from_target=len(data))
            self.person.write(data)

    def pass_ends(self) -> None:
        """Pass on that a side sends no more. The library tells that of a paused channel, too."""
        if not self.is_joined or self._session.lock.is_on:
            return
        for side in (self.person, self.host):
            if side.has_ended and not side.is_end_passed:
                side.is_end_passed = True
                side.other.write_eof()
        # Not every program closes a connection that has ended in both directions.
        if self.person.is_end_passed and self.host.is_end_passed and not self._has_ended:
            self._end("ended by both sides")
            self.person.close()
            self.host.close()

    def side_lost(self, side: Side, error: Exception | None) -> None:
        by = BY_HOST if side is self.host else BY_CLIENT
        self._end(f"{by}: {error}" if error is not None else by)
        side.other.close()
        if self.person.channel is None and self.host.channel is None:
            self._on_gone(self)

    # From the session

    def pace(self) -> None:
        """Read from each side as far as the other keeps up. A locked session stands still in both directions."""
        flows = self.is_joined and not self._session.lock.is_on
        self.person.read(flows and not self.host.is_full)
        self.host.read(flows and not self.person.is_full)
        self.pass_ends()

    def cut(self, reason: str) -> None:
        """End the connection now, with what waits in it."""
        self._end(reason)
        if self.person.channel is None and self.host.channel is None:
            self._on_gone(self)
        self.person.abort()
        self.host.abort()

    def _end(self, reason: str) -> None:
        """Report the end, before that of the session."""
        if self._has_ended:
            return
        self._reason = reason
        self._session.log.end_forward(
            self._begun,
            bytes_in=self.bytes_in,
            bytes_out=self.bytes_out,
            duration_ms=round((monotonic_s() - self._opened_s) * 1000),
            reason=reason,
        )
