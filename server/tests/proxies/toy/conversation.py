"""The conversation with one user of the toy protocol: sign in, open a session, and send line after line."""

import asyncio
import contextlib

from postern.contracts.access import AuthorizeRequest, SignInPassword
from postern.contracts.enums import EndReason, LoginFrom, Protocol
from postern.contracts.recording.events import Answer, Note, Outcome, Query
from postern.contracts.recording.format import Content
from postern.proxies.core.opening.opening import Opening
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession, SessionOver
from proxies.toy.target import ToyLink

SIGN_IN_S = 10.0


class Conversation:
    def __init__(
        self, services: CoreServices, protocol: Protocol, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._services = services
        self._protocol = protocol
        self._reader = reader
        self._writer = writer

    async def run(self) -> None:
        """Run until one side leaves. The user is told why."""
        try:
            async with asyncio.timeout(SIGN_IN_S):
                user, password, asset = (await self._reader.readline()).decode().split()
            opening = await self._opening(user, password, asset)
            session, link = await opening.result(self._refuse_to_ask)
            await self._serve(session, link)
        except Refused as refusal:
            self._say(f"refused {refusal.why}: {' '.join(refusal.sentences)}")
        except (SessionOver, ConnectionError, TimeoutError, ValueError) as error:
            self._say(str(error))
        finally:
            self._writer.close()

    async def _opening(self, user: str, password: str, asset: str) -> Opening[ToyLink]:
        remote_addr = str(self._writer.get_extra_info("peername")[0])
        wish = SignInPassword(
            username=user, password=password, remote_addr=remote_addr, login_from=LoginFrom.SSH_TERMINAL
        )
        answer = await self._services.plane.sign_in_password(wish)
        if answer.denial is not None:
            raise Refused.by(answer.denial)
        if answer.user is None:
            raise Refused("Sign in with a password only.")
        self._services.tickets.take(answer.ticket, self._writer.close)
        request = AuthorizeRequest(
            ticket=answer.ticket,
            asset=asset,
            protocol=self._protocol,
            login_from=LoginFrom.SSH_TERMINAL,
            remote_addr=remote_addr,
            language="en",
        )
        return Opening(self._services, request, ToyLink, user_id=answer.user.id)

    async def _serve(self, session: LiveSession, link: ToyLink) -> None:
        session.on_end(self._ended)
        try:
            session.record_events(Content.QUERIES)
            session.activate("query")
            session.tell(Note(f"logged in as {session.grant.login_name}"))
            self._say("ready")
            number = 0
            while line := (await self._reader.readline()).rstrip(b"\n"):
                number += 1
                if not await self._answer(session, link, number, line):
                    return
            session.end(EndReason.USER_CLOSED)
        except ConnectionError as error:
            session.end(EndReason.TARGET_CLOSED, str(error))
        finally:
            session.end(EndReason.ERROR)  # counts only if nothing else has ended the session

    async def _answer(self, session: LiveSession, link: ToyLink, number: int, line: bytes) -> bool:
        """Record, then forward. Returns False if the session has ended."""
        session.log.command(line.decode("utf-8", "replace"), held=session.hold_command(line.decode("utf-8", "replace")))
        if not all(session.tell(piece) for piece in Query.pieces(number, line)):
            return False
        answer = await link.ask(line)
        session.passed(from_person=len(line), from_target=len(answer))
        outcome = Outcome.FAILED if answer.startswith(b"error") else Outcome.DONE
        if not session.tell(Answer(number, outcome, rows=1)):
            return False
        self._say(answer.decode("utf-8", "replace"))
        await self._writer.drain()
        return True

    def _ended(self, reason: EndReason, message: str) -> None:
        self._say(f"ended {reason.value}: {message}")
        self._writer.close()
        self._reader.feed_eof()

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._writer.write(text.encode() + b"\n")

    async def _refuse_to_ask(self, _text: str, _echo: bool) -> str:
        raise Refused("This front asks no questions.")
