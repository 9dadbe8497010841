"""The line that Ctrl-C was to drop, until the shell has shown that it did.

bash keeps its line when the signal arrives while it handles a key: it shows no new prompt, and the next Enter runs the
line. So the line is judged again with the next one, unless a new prompt was seen.
"""

from collections.abc import Iterator
from dataclasses import replace

from postern.contracts.command_control import CommandAction
from postern.proxies.core.commands.plain_text import squeezed
from postern.proxies.core.commands.standing import StandingLine
from postern.proxies.core.holding.rulings import HeldLine, LineJudge, Ruling


class DroppedLine:
    """The last line that was given up or refused."""

    def __init__(self) -> None:
        self._line: HeldLine | None = None
        self._is_doubtful = False
        self._is_below = False

    @property
    def size(self) -> int:
        """The number of characters that judging it again would add."""
        return 0 if self._line is None else len(self._line.typed or self._line.text)

    def drop(self, line: HeldLine, *, rests: bool) -> None:
        """Note a Ctrl-C while `line` is at the prompt. `rests` tells whether the shell was waiting for a key."""
        self._line = line if line.has_keys else None
        self._is_doubtful = not rests
        self._is_below = False

    def forget(self) -> None:
        """Note that a line runs: earlier lines are gone."""
        self._line = None

    def output(self, data: bytes) -> None:
        """Note output of the target."""
        self._is_below = self._is_below or b"\n" in data

    def may_stand(self, screen: StandingLine | None) -> bool:
        """Whether the shell may have kept the line: it went to no new row, or the line is still shown."""
        if self._line is None or (screen is not None and screen.is_alternate):
            return False
        if self._is_doubtful or not self._is_below or screen is None:
            return True
        text = squeezed(self._line.typed or self._line.text)
        return bool(text) and text in squeezed(screen.prompt + screen.text)

    def with_next(self, line: HeldLine) -> Iterator[HeldLine]:
        """Yield what runs if the shell has kept the line: alone, and with the next one before or behind it."""
        dropped = self._line
        if dropped is None:
            return
        yield dropped
        if dropped.typed and line.typed:
            is_public = dropped.is_public or not dropped.is_hidden
            yield replace(dropped, typed=dropped.typed + line.typed, is_public=is_public)
            yield replace(dropped, typed=line.typed + dropped.typed, is_public=is_public)

    def refusal_with(self, line: HeldLine, judge: LineJudge, *, is_recorded: bool) -> Ruling | None:
        """Return the ruling that does not let `line` run together with the one that the shell may have kept."""
        if self.may_stand(line.screen):
            for candidate in self.with_next(line):
                ruling = judge.line(candidate, is_recorded=is_recorded)
                if ruling.action is not CommandAction.ALLOW:
                    return ruling
        return None
