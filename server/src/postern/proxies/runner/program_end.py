"""How a program on a host ended, and the exception for an end before it began."""

from dataclasses import dataclass

from postern.contracts.runner import HostResult
from postern.kernel.sentences import NOTHING, Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEnd:
    """How it ended; see `TaskEnded`."""

    result: HostResult
    status: int | None = None
    signal: str = ""
    message: Sentence = NOTHING
    detail: str = ""
    is_told_only: bool = False


class EndedEarly(Exception):
    """The work on the host has ended before its program began."""

    def __init__(self, end: ProgramEnd) -> None:
        super().__init__(end.detail or end.message.text)
        self.end = end
