"""What a task needs of a host on which it has signed in, whatever protocol carries it."""

import asyncio
from abc import ABC, abstractmethod

from postern.proxies.runner.program_end import ProgramEnd


class HostSession(ABC):
    """Call `run` once, and `close` at the end."""

    @abstractmethod
    async def run(self, stopping: asyncio.Event) -> ProgramEnd:
        """Run the script of the task. It ends soon after `stopping` is set. Raises EndedEarly, OSError and what the
        protocol raises if the connection is lost before the script was sent.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the connection and forget the secrets."""
