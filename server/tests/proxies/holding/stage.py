"""A session with command filters: a real shell behind a real sshd, reached by a real ssh client in a terminal."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from peers.ssh_proxy import World
from peers.terminal import Terminal

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


async def refused(terminal: Terminal, sentence: str = REFUSED) -> None:
    """Wait until the session says that a line was refused, and until the shell rests."""
    await terminal.expect(sentence)
    await asyncio.sleep(0.4)
