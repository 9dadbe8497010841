"""The interfaces of the input gate to the session that it guards and to the target that reads the line."""

from collections.abc import Callable
from typing import Protocol

from postern.contracts.command_control import CommandDecision
from postern.proxies.core.commands.standing import StandingLine


class FencedTarget(Protocol):
    """The target's side of an input path."""

    def write(self, data: bytes) -> None:
        """Send input. Ignored after the end."""

    def fence(self, reached: Callable[[], None]) -> bool:
        """Call `reached` once the target has handled all input written so far. Returns False if it cannot tell."""


class GuardedSession(Protocol):
    """What the gate uses of a session."""

    @property
    def language(self) -> str:
        """Language of the sentences for the user."""

    @property
    def recorded(self) -> bool:
        """Whether input and output are being recorded."""

    @property
    def is_output_paused(self) -> bool:
        """Whether output of the target waits for the user's side, so that the screen may be out of date."""

    def user_input(self, data: bytes, *, is_own: bool = False) -> bool:
        """Record input. Returns False if the session has ended or is locked: do not forward the input. A lock does not
        stop keys of the gate itself (`is_own`).
        """

    def standing_line(self) -> StandingLine | None:
        """Return the line at the cursor. None if it cannot be read."""

    def tell_user(self, sentence: str) -> None:
        """Show a sentence to the user, outside the output of the target."""

    def line_refused(self, text: str, decision: CommandDecision, *, is_hidden: bool) -> None:
        """Report a line that did not run. `text` is "" for a line without echo."""

    def line_approved(self, text: str, decision: CommandDecision) -> None:
        """Report that a reviewer allowed a line, which runs now."""

    def line_not_held(self, text: str) -> None:
        """Report a line that ran although no key of the user was held for it."""

    def caught_up(self) -> None:
        """Report that the gate takes input again."""
