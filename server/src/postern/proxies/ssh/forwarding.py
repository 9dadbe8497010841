"""The forwarded connections of one user's SSH connection, and the session that carries them.

They have a session of their own, of the kind `forward`, with its own decision and its own link to the host: `ssh -N`
opens no other channel, and what is forwarded must not end with a shell, nor a shell with it. The session is opened at
the first forward, and ends some time after the last.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Iterator
from typing import Final, NoReturn, Protocol

import asyncssh

from postern.contracts.enums import Actions, DenialCode, EndReason
from postern.kernel.errors import PosternError
from postern.kernel.log import printable
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.sessions.live_session import LiveSession, SessionOver
from postern.proxies.core.targets.ports import PromptCancelled
from postern.proxies.core.texts import Text
from postern.proxies.ssh.forwards.pipe import Pipe, Side
from postern.proxies.ssh.forwards.places import Asked, NotPermitted, Place, place_of
from postern.proxies.ssh.forwards.texts import ForwardText
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.person_session import SshOpening
from postern.proxies.ssh.target import TargetConnection

log = logging.getLogger(__name__)

#: Of each direction of one connection. 64 connections with full windows on both sides are 64 MiB.
FORWARD_WINDOW: Final = 512 * 1024
_MAX_DETAIL: Final = 200


class ForwardHome(Protocol):
    """The connection that forwards: `person.Person`."""

    @property
    def direct(self) -> bool: ...
    @property
    def language(self) -> str: ...
    @property
    def live_session(self) -> LiveSession | None: ...
    def take_direct(self, language: str) -> SshOpening: ...
    def request_refused(self, request: str, detail: str = "") -> None: ...


class Forwards:
    """All forwarded connections of one SSH connection."""

    def __init__(self, limits: SshLimits, home: ForwardHome) -> None:
        self._limits = limits
        self._home = home
        self._carrier: _Carrier | None = None
        self._waiting = 0

    @property
    def session(self) -> LiveSession | None:
        """The session that carries the connections, while it is open."""
        session = self._carrier.session if self._carrier is not None else None
        return session if session is not None and session.end_reason is None else None

    def check(self, asked: Asked) -> None:
        """Refuse what can be refused without a session. Raises asyncssh.ChannelOpenError."""
        if not self._home.direct:
            self._refuse(asked, ForwardText.NEEDS_ASSET.say(self._home.language))
        if self._count >= self._limits.forwards_per_connection:
            text = ForwardText.TOO_MANY.say(self._home.language, most=self._limits.forwards_per_connection)
            self._refuse(asked, text, asyncssh.OPEN_RESOURCE_SHORTAGE)
        known = self._home.live_session
        if known is not None:  # it leads to the same host with the same rights: nothing has to be opened for a refusal
            self._judge(known, asked)

    def open(self, asked: Asked) -> Awaitable[Side]:
        """Return what gives the session of the user's channel once the host has connected, or raises
        asyncssh.ChannelOpenError. It counts from now on.
        """
        self._waiting += 1
        return self._open(asked)

    def close(self) -> None:
        """End everything, because the user's connection is gone."""
        if self._carrier is not None:
            self._carrier.close()

    @property
    def _count(self) -> int:
        joined = sum(pipe.is_joined for pipe in self._carrier.pipes) if self._carrier is not None else 0
        return self._waiting + joined  # others are among the waiting

    def _judge(self, session: LiveSession, asked: Asked) -> Place:
        """Return the place to open. Raises asyncssh.ChannelOpenError."""
        if not session.may(Actions.FORWARD):
            self._refuse(asked, session.refusal(Actions.FORWARD))
        try:
            return place_of(asked, session.grant.target)
        except NotPermitted as refusal:
            self._refuse(asked, refusal.say(self._home.language))

    def _refuse(self, asked: Asked, text: str, code: int = asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED) -> NoReturn:
        self._home.request_refused(asked.request, str(asked))
        raise asyncssh.ChannelOpenError(code, text)

    async def _open(self, asked: Asked) -> Side:
        try:
            carrier = self._carrier
            if carrier is None or carrier.is_over:
                opening = self._home.take_direct(self._home.language)
                carrier = self._carrier = _Carrier(self._limits, self._home.language, opening)
            with carrier.kept():
                session, connection = await carrier.ready()
                try:
                    place = self._judge(session, asked)
                except asyncssh.ChannelOpenError as refusal:
                    carrier.give_up_without_right(refusal.reason)
                    raise
                return await carrier.connect(session, connection, asked, place)
        except Refused as refusal:
            is_away = refusal.denial is DenialCode.CONTROL_UNAVAILABLE
            code = asyncssh.OPEN_CONNECT_FAILED if is_away else asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED
            raise asyncssh.ChannelOpenError(code, " ".join(refusal.sentences)) from refusal
        except PosternError as error:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, error.message) from error
        except asyncssh.ChannelOpenError:
            raise
        except Exception as error:  # the last resort of this channel; others on the connection continue
            log.exception("a forwarded connection failed")
            text = Text.END_ERROR.say(self._home.language)
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, text) from error
        finally:
            self._waiting -= 1


class _Carrier:
    """One session of forwarded connections, with its link to the host."""

    def __init__(self, limits: SshLimits, language: str, opening: SshOpening) -> None:
        self._limits = limits
        self._language = language
        self._opening = opening
        self._link_watch: asyncio.Task[None] | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._uses = 0
        self._is_closed = False
        self.session: LiveSession | None = None
        self.pipes: set[Pipe] = set()

    @property
    def is_over(self) -> bool:
        return self._is_closed or (self.session is not None and self.session.end_reason is not None)

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the session open within a block, although it carries nothing yet."""
        self._uses += 1
        self._rest()
        try:
            yield
        finally:
            self._uses -= 1
            self._rest()

    async def ready(self) -> tuple[LiveSession, TargetConnection]:
        """Return the session and its link. Raises Refused."""
        try:
            session, connection = await self._opening.result(self._nobody_to_ask)
        except BaseException:
            self._is_closed = True
            raise
        if self.session is None:
            self._take(session, connection)
        if session.end_reason is not None:
            raise Refused(session.end_message, ended=session.end_reason)
        return session, connection

    def _take(self, session: LiveSession, connection: TargetConnection) -> None:
        self.session = session
        session.needs = (Actions.FORWARD,)
        session.before_end(self._cut_all)
        session.on_lock(self._pace_all)
        session.on_end(lambda _reason, _message: self._over())
        self._link_watch = asyncio.create_task(self._watch(session, connection), name="link of forwards")

    async def _nobody_to_ask(self, text: str, echo: bool) -> str:  # noqa: ARG002 - a `Prompter`
        raise PromptCancelled(Text.PROMPT_NEEDS_TERMINAL.say(self._language))

    async def _watch(self, session: LiveSession, connection: TargetConnection) -> None:
        await connection.lost()
        session.end(EndReason.TARGET_CLOSED)

    async def connect(self, session: LiveSession, connection: TargetConnection, asked: Asked, place: Place) -> Side:
        """Let the host connect, and return the user's side. Raises asyncssh.ChannelOpenError, SessionOver."""
        await session.lock.passable()
        if not session.kind:  # also if the host refuses all of them: the kind leads to their log
            session.activate("forward")
        begun = None
        if session.end_reason is None:
            begun = session.log.begin_forward(str(asked), str(place), asked.originator)
        if begun is None:
            raise SessionOver(session.end_reason or EndReason.ERROR, session.end_message)
        pipe = Pipe(session, begun, on_gone=self._gone)
        self.pipes.add(pipe)
        seconds = self._limits.target_login_s
        try:
            async with asyncio.timeout(seconds):
                await connection.forward(place, pipe.host, window=FORWARD_WINDOW)
        except asyncssh.ChannelOpenError as refusal:
            detail = printable(refusal.reason)[:_MAX_DETAIL]
            pipe.cut(f"the host refused: {detail}")
            text = ForwardText.HOST_REFUSED.say(self._language, place=place, detail=detail)
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, text) from refusal
        except TimeoutError as error:
            pipe.cut(f"the host did not connect within {seconds:g} s")
            text = ForwardText.HOST_SILENT.say(self._language, place=place, seconds=f"{seconds:g}")
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_CONNECT_FAILED, text) from error
        except BaseException:
            pipe.cut("not opened")
            raise
        if session.end_reason is not None or self._is_closed:
            pipe.cut("the session is over")
            raise SessionOver(session.end_reason or EndReason.USER_CLOSED, session.end_message)
        return pipe.person

    def give_up_without_right(self, message: str) -> None:
        """End a session that may forward nothing."""
        if self.session is not None and not self.session.may(Actions.FORWARD):
            self.session.end(EndReason.USER_CLOSED, "refused: the permission lacks FORWARD", message=message)

    def close(self) -> None:
        """End the session, because nobody is there any more."""
        self._is_closed = True
        if self.session is not None:
            self.session.end(EndReason.USER_CLOSED)
        self._opening.abandon()

    def _gone(self, pipe: Pipe) -> None:
        self.pipes.discard(pipe)
        self._rest()

    def _rest(self) -> None:
        """Let the grace begin when nothing is forwarded, and end when something is."""
        if self._grace is not None:
            self._grace.cancel()
            self._grace = None
        if not self._uses and not self.pipes and not self._is_closed:
            self._grace = asyncio.get_running_loop().call_later(self._limits.forward_grace_s, self.close)

    def _pace_all(self) -> None:
        for pipe in list(self.pipes):
            pipe.pace()

    def _cut_all(self) -> None:
        reason = self.session.end_reason if self.session is not None else None
        for pipe in list(self.pipes):
            pipe.cut(f"the session ended: {(reason or EndReason.ERROR).value}")

    def _over(self) -> None:
        self._is_closed = True
        self._cut_all()
        if self._grace is not None:
            self._grace.cancel()
        if self._link_watch is not None and self._link_watch is not asyncio.current_task():
            self._link_watch.cancel()
