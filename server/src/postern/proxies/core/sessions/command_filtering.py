"""The command filters of one live session: its rules, its input gate, and what is reported about lines."""

import asyncio
import logging
from typing import Final, Protocol

from postern.contracts.access import SessionGrant
from postern.contracts.command_control import CommandAction, CommandControl, CommandDecision
from postern.contracts.enums import CommandKind, RiskLevel
from postern.proxies.core.commands.plain_text import squeezed
from postern.proxies.core.commands.standing import StandingLine
from postern.proxies.core.holding.confirming import Confirmation
from postern.proxies.core.holding.filters import compiled
from postern.proxies.core.holding.gate import LARGE, InputGate
from postern.proxies.core.holding.ports import FencedTarget
from postern.proxies.core.holding.program_lines import ProgramLines
from postern.proxies.core.holding.rulings import LineJudge, Ruling, approval
from postern.proxies.core.holding.texts import Text, filter_of, refusal
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.sessions.session_log import SessionLog

log = logging.getLogger(__name__)

_MAX_NOTE: Final = 1024


class FilteredSession(Protocol):
    """The part of `LiveSession` that its command filters use."""

    grant: SessionGrant
    log: SessionLog

    @property
    def is_output_paused(self) -> bool: ...
    @property
    def language(self) -> str: ...
    @property
    def recorded(self) -> bool: ...
    def user_input(self, data: bytes, *, is_own: bool = False) -> bool: ...
    def standing_line(self) -> StandingLine | None: ...
    def tell_user(self, sentence: str) -> None: ...
    def note(self, text: str) -> None: ...
    def elapsed_ms(self) -> int: ...
    def caught_up(self) -> None: ...


class CommandFiltering:
    """Compiles the rules, and opens a gate while and only while they can refuse something."""

    def __init__(self, session: FilteredSession, services: SessionServices) -> None:
        self._session = session
        self._services = services
        self._filters = compiled(session.grant.command_control)
        self._target: FencedTarget | None = None
        #: The gate of a terminal. None while no line can be refused: then input is written to the target directly.
        self.gate: InputGate | None = None
        self._lines: ProgramLines | None = None
        self._judge: LineJudge | None = None
        self._approved: tuple[str, CommandDecision] | None = None
        self._is_closed = False

    @property
    def can_refuse(self) -> bool:
        """Whether any line could be refused or need a confirmation."""
        return self._filters.can_refuse

    @property
    def is_full(self) -> bool:
        """Whether too much input waits for a held line: do not read the user's side until `on_caught_up`."""
        return self.gate is not None and self.gate.is_full

    def open_input(self, target: FencedTarget) -> None:
        """Guard the input of a terminal from now on. Called once, before any input is forwarded."""
        self._report_fault()
        self._target = target
        self._open_gate(is_new_line=True)

    def change(self, control: CommandControl) -> None:
        """Apply changed rules from the next key on. A stale version changes nothing."""
        if control.version <= self._filters.version:
            return
        self._filters = compiled(control)
        self._report_fault()
        if self._lines is not None:
            self._lines.judge.filters = self._filters
        if self.gate is None:
            self._open_gate(is_new_line=False)
        elif not self.can_refuse and self.gate.is_idle:
            self.gate.close()
            self.gate = None
        else:
            self.gate.change(self._filters)

    def _open_gate(self, *, is_new_line: bool) -> None:
        if self._target is None or not self.can_refuse or self._is_closed:
            return
        judge = self._judge or LineJudge(self._filters)
        judge.filters = self._filters
        self.gate = InputGate(
            _Guarded(self._session, self),
            self._target,
            judge,
            self._session.grant.charset,
            self._confirmation,
            is_new_line=is_new_line,
        )

    def _report_fault(self) -> None:
        if self._filters.fault:
            log.error(
                "session %s: its command filters are invalid: %s", self._session.grant.session_id, self._filters.fault
            )
            self._session.log.request_refused("command filters", f"invalid, so nothing runs: {self._filters.fault}")

    def _confirmation(self) -> Confirmation | None:
        if self._services.reviewers is None:
            return None
        session = self._session
        return Confirmation(self._services.reviewers, session.grant.session_id, session.language, session.tell_user)

    # Commands of a request, and programs without a terminal

    async def refused_command(self, text: str) -> str:
        """Decide about a command line before it runs. Returns "" if it may run, else the sentence for the user.

        A refusal is reported. Waits for a reviewer if the rules require one.
        """
        if not self.can_refuse:
            return ""
        session = self._session
        judge = LineJudge(self._filters)
        ruling = await asyncio.to_thread(judge.command, text)
        sentence = ""
        if ruling.action is CommandAction.CONFIRM and (confirmation := self._confirmation()) is not None:
            waiting = Text.ASKING.say(session.language, filter=filter_of(ruling.decision, session.language))
            session.tell_user(waiting)
            is_approved, sentence = await confirmation.answer(ruling.decision, text, ruling.command)
            again = await asyncio.to_thread(LineJudge(self._filters).command, text)
            if is_approved and again.action is not CommandAction.DENY:
                self._approved = (squeezed(text), approval(ruling.decision))
                ruling = _allowed(ruling)
        if ruling.action is not CommandAction.ALLOW:
            self.line_refused(text, ruling.decision, kind=CommandKind.EXEC)
            return " ".join(filter(None, (refusal(ruling.decision, session.language), sentence)))
        judge.release(ruling)
        self._judge = judge
        return ""

    def open_lines(self, *, is_shell: bool) -> None:
        """Judge the input of a program without a terminal line by line, if it is a shell that reads commands."""
        if self.can_refuse and (is_shell or (self._judge is not None and self._judge.shells > 1)):
            self._lines = ProgramLines(self._filters)

    @property
    def judges_lines(self) -> bool:
        """Whether `program_lines` must decide about the input of the program."""
        return self._lines is not None

    def program_lines(self, data: bytes, *, is_end: bool = False) -> tuple[bytes, str]:
        """Return the input to forward, and "" or the sentence with which the session must end."""
        if self._lines is None:
            return data, ""
        return self._reported(*self._lines.feed(data, is_end=is_end))

    def takes_long(self, data: bytes) -> bool:
        """Whether `program_lines` would hold up everybody else: then call `program_lines_aside`."""
        return self._lines is not None and len(data) + self._lines.waiting > LARGE

    async def program_lines_aside(self, data: bytes, *, is_end: bool = False) -> tuple[bytes, str]:
        """`program_lines` in a thread. Call neither again before it has returned."""
        if self._lines is None:
            return data, ""
        return self._reported(*await asyncio.to_thread(self._lines.feed, data, is_end=is_end))

    def _reported(self, onward: bytes, ruling: Ruling | None) -> tuple[bytes, str]:
        if ruling is None:
            return onward, ""
        self.line_refused(ruling.line.text, ruling.decision, kind=CommandKind.TYPED)
        language = self._session.language
        if ruling.action is CommandAction.CONFIRM:
            return onward, Text.NEEDS_TERMINAL.say(language, filter=filter_of(ruling.decision, language))
        return onward, refusal(ruling.decision, language)

    # Reports

    def line_refused(
        self, text: str, decision: CommandDecision, *, is_hidden: bool = False, kind: CommandKind = CommandKind.ECHO
    ) -> None:
        """Report a line that did not run."""
        session = self._session
        session.log.command(
            text,
            CommandKind.HIDDEN if is_hidden else kind,
            offset_ms=session.elapsed_ms(),
            decision=decision,
            risk_level=RiskLevel.DANGEROUS,
        )
        subject = "a line without echo" if is_hidden else text[:_MAX_NOTE]
        session.note(f"Refused by command filter {decision.filter_name or '-'}: {subject}")

    def line_approved(self, text: str, decision: CommandDecision) -> None:
        """Keep the decision for the report of the line, which comes after it ran."""
        self._approved = (squeezed(text), decision)
        self._session.note(f"Confirmed by a reviewer, command filter {decision.filter_name or '-'}: {text[:_MAX_NOTE]}")

    def line_not_held(self, text: str) -> None:
        """Report a line that ran although no key was held for it."""
        session = self._session
        session.log.command(text, CommandKind.UNKNOWN, offset_ms=session.elapsed_ms(), risk_level=RiskLevel.DANGEROUS)
        session.note(f"Ran without being judged (a key bound on the host, or a program): {text[:_MAX_NOTE]}")

    def decision_of(self, text: str) -> CommandDecision | None:
        """Return the reviewer's decision about a command that was detected, once."""
        if self._approved is None or self._approved[0] != squeezed(text):
            return None
        decision, self._approved = self._approved[1], None
        return decision

    def close(self) -> None:
        """Drop held input at the end of the session."""
        self._is_closed = True
        if self.gate is not None:
            self.gate.close()
            self.gate = None


class _Guarded:
    """What the gate sees of the session: `holding.ports.GuardedSession`."""

    def __init__(self, session: FilteredSession, filtering: CommandFiltering) -> None:
        self._session = session
        self._filtering = filtering
        self.user_input = session.user_input
        self.standing_line = session.standing_line
        self.tell_user = session.tell_user
        self.caught_up = session.caught_up
        self.line_approved = filtering.line_approved
        self.line_not_held = filtering.line_not_held

    @property
    def language(self) -> str:
        return self._session.language

    @property
    def recorded(self) -> bool:
        return self._session.recorded

    @property
    def is_output_paused(self) -> bool:
        return self._session.is_output_paused

    def line_refused(self, text: str, decision: CommandDecision, *, is_hidden: bool) -> None:
        self._filtering.line_refused(text, decision, is_hidden=is_hidden)


def _allowed(ruling: Ruling) -> Ruling:
    return Ruling(ruling.line, approval(ruling.decision), ruling.command, ruling.session, judgement=ruling.judgement)
