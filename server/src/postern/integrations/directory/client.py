"""A conversation with a directory: simple bind, StartTLS, paged search, unbind.

One deadline covers everything from the lookup of the name to the last byte, so a server that sends a byte now and then
cannot hold a caller longer. Sizes and numbers of what a server may send are capped. Certificates and host names are
verified. Referrals are never followed: they would carry the password to an address that nobody chose (K36: only
addresses of permitted targets are dialled).
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from postern.foundation.network.outbound import DialTarget, TargetRefused, TargetUnknown
from postern.integrations.directory import ber, failures, messages
from postern.integrations.directory.messages import Entry, Result
from postern.integrations.directory.server import DirectoryServer, Encryption, is_loopback
from postern.integrations.directory.wire import ConnectionLost, UnexpectedBytes, Wire
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret

#: Checks the address of the server. Raises TargetRefused or TargetUnknown.
DialCheck = Callable[[str, int], DialTarget]
T = TypeVar("T")

PAGE_SIZE: Final = 1000
#: Largest message that is read. OpenLDAP sends a group whole: with 100,000 members it has about 7 MB.
MAX_MESSAGE: Final = 16 * 1024 * 1024
#: Entries of one search. Directories with more need a narrower base.
MAX_ENTRIES: Final = 300_000
#: Entries that a page may have beyond what was asked for, and references beside them.
_SLACK: Final = 10
_MAX_PAGES: Final = 20_000
#: Rounds of `member;range=…` for one attribute: 1,500 values each.
_MAX_RANGES: Final = 2_000
#: Values of one entry, such as the members of the largest group.
_MAX_VALUES: Final = 500_000
_WAY_OUT_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Search:
    """A search below `base`. `filter`: in BER, of `filters`."""

    base: str
    filter: bytes
    attributes: tuple[str, ...]
    scope: int = messages.SUBTREE


def converse(
    server: DirectoryServer, talk: Callable[["Conversation"], Awaitable[T]], *, check: DialCheck, limit_s: float
) -> T:
    """Connect, hold the conversation `talk`, and part. Blocks for `limit_s` seconds at most. Raises DirectoryFailed."""
    started_s = monotonic_s()
    try:
        target = check(server.host, server.port)
    except TargetUnknown:
        raise failures.name_unknown(server) from None
    except TargetRefused as error:
        raise failures.not_dialled(error.sentence) from None
    if server.encryption is Encryption.NONE and not is_loopback(target.address):
        raise failures.unencrypted(server)
    # A loop of its own: callers are threads of the web part and of the worker.
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        return runner.run(_hold(server, target, talk, limit_s=limit_s, left_s=limit_s - (monotonic_s() - started_s)))


async def _hold(
    server: DirectoryServer,
    target: DialTarget,
    talk: Callable[["Conversation"], Awaitable[T]],
    *,
    limit_s: float,
    left_s: float,
) -> T:
    family = socket.AF_INET6 if ":" in target.address else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.setblocking(False)
    is_connected = False
    try:
        async with asyncio.timeout(left_s):
            await asyncio.get_running_loop().sock_connect(connection, (target.address, target.port))
            is_connected = True
            conversation = Conversation(server, Wire(connection))
            await conversation.secure()
            answer = await talk(conversation)
        with suppress(OSError, TimeoutError, ConnectionLost):
            async with asyncio.timeout(_WAY_OUT_S):
                await conversation.part()
    except TimeoutError:
        raise failures.timeout(server, limit_s) from None
    except ssl.SSLError as error:
        raise failures.tls(server, error) from None
    except ConnectionLost:
        raise failures.lost(server) from None
    except (ber.NotBer, UnexpectedBytes, UnicodeError):
        raise failures.not_ldap(server) from None
    except OSError as error:
        raise failures.lost(server) if is_connected else failures.unreachable(server, error) from None
    finally:
        connection.close()
    return answer


class Conversation:
    """An open connection. One operation at a time."""

    def __init__(self, server: DirectoryServer, wire: Wire) -> None:
        self.server = server
        self._wire = wire
        self._number = 0

    async def secure(self) -> None:
        """Begin TLS, as the server's settings say."""
        if self.server.encryption is Encryption.NONE:
            return
        context = _context(self.server)
        if self.server.encryption is Encryption.STARTTLS:
            result = messages.result_of(await self._ask(messages.start_tls()), messages.EXTENDED_RESPONSE)
            if result.code:
                raise failures.no_starttls(self.server, result.code, result.text)
        await self._wire.start_tls(context, self.server.host.rstrip("."))

    async def bind(self) -> None:
        """Sign in as the account of the settings; without one, the conversation stays anonymous.

        Raises DirectoryFailed.
        """
        if not self.server.bind_dn:
            return
        result = await self.try_password(self.server.bind_dn, self.server.password or Secret(""))
        if result.code:
            raise failures.bind_refused(self.server, result.code, result.text)

    async def try_password(self, dn: str, password: Secret) -> Result:
        """Bind as `dn`. An empty password is refused here: a server would take it as anonymous and say yes."""
        if not dn or not password.reveal():
            return Result(messages.UNWILLING, "")
        return messages.result_of(await self._ask(messages.bind(dn, password.reveal())), messages.BIND_RESPONSE)

    async def first(self, search: Search, most: int) -> list[Entry]:
        """The first entries of a search, at most `most`. For searches that should find one."""
        return [entry async for entry in self._page(search, messages.size_limited(most), most, _Ending())]

    async def entries(self, search: Search) -> AsyncIterator[Entry]:
        """All entries of a search, each when it comes. Raises DirectoryFailed unless the server has sent all of them.

        Read it to the end: until then the conversation takes no other operation. Values that a server sends in ranges
        (`member;range=0-1499`) are read to the end, under the plain name; such entries come last of their page.
        """
        cookie, number = b"", 0
        for _page in range(_MAX_PAGES):
            ending, partial = _Ending(), list[Entry]()
            async for entry in self._page(search, messages.paged(PAGE_SIZE, cookie), PAGE_SIZE, ending):
                number += 1
                if number > MAX_ENTRIES:
                    raise failures.too_many(self.server, MAX_ENTRIES)
                if messages.next_range(entry) is not None:
                    partial.append(entry)
                else:
                    yield entry
            for entry in partial:
                yield await self._whole(entry)
            cookie = ending.cookie
            if not cookie:
                return
        raise failures.too_much(self.server)

    async def part(self) -> None:
        """Say goodbye (unbind). The server does not answer."""
        self._number += 1
        await self._wire.write(messages.message(self._number, messages.UNBIND))

    async def _page(
        self, search: Search, options: messages.SearchOptions, asked: int, ending: "_Ending"
    ) -> AsyncIterator[Entry]:
        operation = messages.search(search.base, search.scope, search.filter, search.attributes, options.size_limit)
        await self._send(operation, options.controls)
        received = 0
        while True:
            answer = await self._receive()
            if answer.tag == messages.SEARCH_DONE:
                result = messages.result_of(answer, messages.SEARCH_DONE)
                if result.code and not (result.code == messages.SIZE_LIMIT and options.size_limit):
                    raise failures.search_refused(self.server, result.code, result.text, search.base)
                ending.cookie = messages.cookie_in(answer.controls)
                return
            received += 1
            if received > asked + _SLACK:
                raise failures.too_much(self.server)
            if answer.tag == messages.SEARCH_ENTRY:
                yield messages.entry_of(answer)
            elif answer.tag != messages.SEARCH_REFERENCE:  # references are not followed
                raise ber.NotBer("unexpected answer")

    async def _whole(self, entry: Entry) -> Entry:
        for _round in range(_MAX_RANGES):
            partial = messages.next_range(entry)
            if partial is None:
                return entry
            more = Search(entry.dn, messages.ANYTHING, (partial.asked,), messages.BASE)
            found = await self.first(more, 1)
            entry = messages.joined(entry, partial, found[0] if found else None)
            if sum(map(len, entry.attributes.values())) > _MAX_VALUES:
                break
        raise failures.too_much(self.server)

    async def _ask(self, operation: bytes) -> messages.Answer:
        await self._send(operation)
        return await self._receive()

    async def _send(self, operation: bytes, controls: Iterable[bytes] = ()) -> None:
        self._number += 1
        await self._wire.write(messages.message(self._number, operation, tuple(controls)))

    async def _receive(self) -> messages.Answer:
        # Reading from a full socket never pauses by itself, and the deadline only ends what pauses.
        await asyncio.sleep(0)
        tag, first = await self._wire.read(2)
        if tag != ber.SEQUENCE:
            raise ber.NotBer("not a message")
        size = ber.length_bytes(first)
        length = int.from_bytes(await self._wire.read(size), "big") if size else first
        if length > MAX_MESSAGE:
            raise failures.too_much(self.server)
        answer = messages.answer_in(await self._wire.read(length))
        if answer.number != self._number:
            # Number 0: the server ends the connection by itself (RFC 4511, 4.4.1).
            raise ConnectionLost if answer.number == 0 else ber.NotBer("answer to another question")
        return answer


@dataclass(slots=True)
class _Ending:
    """What the end of a page says: the cookie of the next page."""

    cookie: bytes = b""


def _context(server: DirectoryServer) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cadata=server.authorities or None)
    except (ssl.SSLError, ValueError):
        raise failures.bad_authorities() from None
