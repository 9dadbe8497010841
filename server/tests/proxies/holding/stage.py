"""A session with command filters: a real shell behind a real sshd, reached by a real ssh client in a terminal."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from uuid import UUID

from peers.ssh_proxy import World
from peers.terminal import Terminal
from postern.proxies.core.holding.gate import InputGate
from postern.proxies.core.sessions.registry import SessionRegistry

UP = b"\x1b[A"
REFUSED = r"The command filter \S+no touching\S+ does not allow this"
SHELLS = {
    "bash": "exec env PS1='at> ' HISTFILE= bash --norc --noprofile",
    "zsh": "exec env PS1='at> ' zsh -f",
    "dash": "exec env PS1='at> ' dash",
}


@contextlib.asynccontextmanager
async def shell(world: World, name: str = "bash", **options: int) -> AsyncIterator[Terminal]:
    """Open this shell in a session, in the folder of the target."""
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",)), **options) as terminal:
        await terminal.expect(r"[$#] ")
        await terminal.type(f"cd {world.sshd.directory}; {SHELLS[name]}\r")
        await terminal.expect(r"(?<!')at> ")
        await settle()
        yield terminal


async def settle() -> None:
    """Let the prompt arrive and rest, as it does for a person."""
    await asyncio.sleep(0.1)


async def echoed(terminal: Terminal, number: int) -> None:
    """Run an allowed command, which shows that the shell goes on."""
    await terminal.type(f"echo still-$(({number}+0))\r")
    await terminal.expect(f"still-{number}")
    await terminal.expect("at> ")
    await settle()


async def refused(world: World, terminal: Terminal, sentence: str = REFUSED) -> None:
    """Wait until the session says that a line was refused, and until it takes keys again: it drops those before."""
    await terminal.expect(sentence)
    await world.plane.until(lambda: takes_keys(world.proxy.registry))


def takes_keys(registry: SessionRegistry) -> bool:
    """Whether no session holds or drops input."""
    return all(gate.is_idle for session_id in registry.ids() if (gate := _gate(registry, session_id)) is not None)


def _gate(registry: SessionRegistry, session_id: UUID) -> InputGate | None:
    session = registry.get(session_id)
    return session.filtering.gate if session is not None else None
