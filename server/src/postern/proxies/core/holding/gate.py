"""`InputGate`: the input of one terminal session with command filters, from the user to the target.

Everything before a key that can run a line is forwarded at once. That key is held until the line has been read from the
screen and from the keys, and judged. What follows it waits in order. Output, resizes and Ctrl-C never wait.

States: open → held (until the target has handled all earlier keys and its output rests) → released, and settling while
more input waits → open. A refused line gets Ctrl-C as soon as the target rests, and again while no new prompt is seen;
what waits is dropped, and so is what arrives until then (recovering). A line that needs a confirmation, or much work,
stays held meanwhile (asking).

Nothing blocks and nothing is locked: keys, output, fences and timers are events of one loop.
"""

import asyncio
import logging
from collections.abc import Callable
from enum import Enum
from typing import Final

from postern.contracts.command_control import CommandAction
from postern.kernel.clock import monotonic_s
from postern.proxies.core.commands.plain_text import squeezed
from postern.proxies.core.holding.confirming import Confirmation
from postern.proxies.core.holding.dropped_line import DroppedLine
from postern.proxies.core.holding.editor_modes import EditorModes
from postern.proxies.core.holding.filters import Filters
from postern.proxies.core.holding.keystrokes import Keystroke, Stroke
from postern.proxies.core.holding.open_line import OpenLine
from postern.proxies.core.holding.pasted_block import PastedBlock
from postern.proxies.core.holding.ports import FencedTarget, GuardedSession
from postern.proxies.core.holding.rulings import HeldLine, LineJudge, Ruling, approval
from postern.proxies.core.holding.target_rest import QUIET_S, TargetRest
from postern.proxies.core.holding.texts import Text, filter_of, refusal
from postern.proxies.core.holding.user_keys import UserKeys

log = logging.getLogger(__name__)

#: Input that may wait. With more, the user's side is not read.
_MAX_WAITING: Final = 64 * 1024
#: The wait while the user's side does not take output, so that the screen is out of date.
_PAUSED_S: Final = 0.05
#: A line that would be refused, and that the screen does not show, waits this long for its echo: a busy host shows keys
#: late. Then it is taken for hidden.
_LATE_ECHO_S: Final = 1.0
#: Longer lines are judged in a thread, so that nobody else waits for them.
LARGE: Final = 512
#: Pasted lines that wait are announced from this number on.
_MANY_LINES: Final = 3
_INTERRUPT: Final = b"\x03"
#: How often a refused line gets Ctrl-C, while no new prompt is seen.
_INTERRUPTS: Final = 3

_State = Enum("_State", ["OPEN", "HELD", "ASKING", "SETTLING", "REFUSED", "RECOVERING"])


class InputGate:
    """The gate of one terminal. `put` takes the user's input, `output` is called with each output of the target."""

    def __init__(
        self,
        session: GuardedSession,
        target: FencedTarget,
        judge: LineJudge,
        charset: str,
        new_confirmation: Callable[[], Confirmation | None],
        *,
        is_new_line: bool = True,
    ) -> None:
        """`judge` knows the rules, and the commands that ran before. `is_new_line` is False if keys of a line may have
        been forwarded before.
        """
        self._session = session
        self._target = target
        self._new_confirmation = new_confirmation
        self._loop = asyncio.get_running_loop()
        self._judge = judge
        self._line = OpenLine(charset, is_new_line=is_new_line)
        self._modes = EditorModes(judge.is_zsh, self._line_not_held)
        self._keys = UserKeys(self._line, self._modes, self, self._is_in_editor)
        self._rest = TargetRest(target)
        self._state = _State.OPEN
        self._waiting = bytearray()
        self._held = b""
        self._held_kind = Stroke.RUN
        self._held_s = 0.0
        self._released_s = 0.0
        self._dropped = DroppedLine()
        self._refused = HeldLine("", None)
        #: Ctrl-C that the refused line may still get.
        self._interrupts = 0
        self._timer: asyncio.TimerHandle | None = None
        self._asking: asyncio.Task[None] | None = None
        self._has_announced = False
        self._is_closed = False
        self._is_looking = False

    # Input of the user

    @property
    def is_full(self) -> bool:
        """Whether too much input waits: do not read the user's side until `GuardedSession.caught_up`."""
        return len(self._waiting) > _MAX_WAITING

    @property
    def is_idle(self) -> bool:
        """Whether nothing is held and nothing waits."""
        return self._state is _State.OPEN and not self._waiting

    def put(self, data: bytes) -> None:
        """Accept input. It is forwarded at once, held, or dropped after a refusal."""
        if self._is_closed:
            return
        if self._state is _State.OPEN:
            self._pass(data)
            return
        if self._state in (_State.REFUSED, _State.RECOVERING) and _INTERRUPT not in data:
            return
        self._wait_or_interrupt(data, at_end=True)

    def _wait_or_interrupt(self, rest: bytes, *, at_end: bool = False) -> bool:
        """Let input wait, before what waits already or `at_end`. With a Ctrl-C in it, everything before that is dropped
        with the held key, and the Ctrl-C is forwarded: it never waits, whether it arrives with the line or later. Returns
        whether there was one.
        """
        _before, interrupt, behind = rest.partition(_INTERRUPT)
        if interrupt:
            self._interrupt()
            if behind:
                self.put(behind)
        elif at_end:
            self._waiting += rest
        else:
            self._waiting[:0] = rest
        return bool(interrupt)

    def _pass(self, data: bytes) -> None:
        """Forward input up to the next key that can run a line, or pasted block of lines."""
        onward, held, rest = self._keys.until_held(data)
        self._forward(onward)
        if isinstance(held, Keystroke):
            self._hold(held, rest)
        elif held is not None:
            self._hold_block(held, rest)

    def _hold_block(self, block: PastedBlock, rest: bytes) -> None:
        self._begin(_State.ASKING)
        if not self._wait_or_interrupt(rest):
            judging = self._judge_block(bytes(block.data), block.text)
            self._asking = asyncio.create_task(judging, name="command filters")

    def _is_in_editor(self) -> bool:
        screen = self._session.standing_line() if self._judge.reader.is_editor else None
        return screen is not None and screen.is_alternate

    async def _judge_block(self, block: bytes, text: str) -> None:
        screen, is_recorded = self._session.standing_line(), self._session.recorded
        ruling = await asyncio.to_thread(self._judge.block, text, screen, is_recorded=is_recorded)
        ruling = ruling or await asyncio.to_thread(self._kept, HeldLine(text.partition("\n")[0], screen))
        self._asking = None
        if self._state is not _State.ASKING or self._is_closed:
            return
        if ruling is not None:
            self._refuse(ruling)
        else:
            self._begin(_State.SETTLING)
            self._forward(block)

    def _forward(self, data: bytes, *, is_own: bool = False) -> None:
        if data and self._session.user_input(data, is_own=is_own):
            self._target.write(data)
            self._rest.input(is_measured=self._state is _State.OPEN)

    def _interrupt(self) -> None:
        """Ctrl-C drops the held line and everything behind it."""
        self._stop_waiting()
        self.line_dropped()
        self._state = _State.OPEN
        self._forward(_INTERRUPT)
        self._session.caught_up()

    def _stop_waiting(self, *, forgets_keys: bool = True) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None
        self._rest.ask_no_more()
        self._waiting.clear()
        self._held = b""
        if forgets_keys:
            self._keys.forget()
        self._has_announced = False

    def line_dropped(self) -> None:
        """Begin a new line, because Ctrl-C or a key like it is sent."""
        if self._line.has_keys:
            self._dropped.drop(self._held_line(), rests=self._rest.is_idle)
        self._line.restart()
        self._judge.drop()
        self._modes.interrupted()

    def input_ended(self) -> None:
        """Ctrl-D is sent."""
        self._judge.drop()
        self._modes.ended()

    # Holding a line

    def _hold(self, stroke: Keystroke, rest: bytes) -> None:
        self._held, self._held_kind = stroke.data, stroke.kind
        self._state = _State.HELD
        if self._wait_or_interrupt(rest):
            return
        self._rest.begin()
        self._rest.forget_fence()
        self._held_s = monotonic_s()
        self._announce()
        line = self._held_line()
        if line.agrees or (line.is_empty and self._rest.has_rested_after(self._released_s)):
            self._decide(line)
            return
        self._wait_for_rest()

    def _wait_for_rest(self) -> None:
        self._rest.ask(self._fence_reached)
        self._arm(QUIET_S)

    def _announce(self) -> None:
        lines = self._waiting.count(b"\r") + self._waiting.count(b"\n")
        if lines >= _MANY_LINES and not self._has_announced:
            self._has_announced = True
            self._session.tell_user(Text.LINES_WAIT.say(self._session.language, count=lines + 1))

    def _fence_reached(self) -> None:
        if self._state in (_State.HELD, _State.REFUSED) and not self._is_closed:
            self._rest.fence_reached()
            self._arm(QUIET_S)

    def _arm(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._look)

    def output(self, data: bytes) -> None:
        """Note output of the target, which the command detector has received already."""
        self._rest.output()
        self._line.output(data)
        self._dropped.output(data)
        if b"\x1b[" in data:
            self._modes.look(data)
        if self._state is _State.HELD and self._line.is_known and not self._is_looking:
            self._is_looking = True
            self._loop.call_soon(self._look_for_agreement)

    def _line_not_held(self) -> None:
        screen = self._session.standing_line()
        self._session.line_not_held(screen.text if screen is not None else "")

    def _look_for_agreement(self) -> None:
        self._is_looking = False
        if self._state is _State.HELD and not self._is_closed:
            line = self._held_line()
            if line.agrees:
                self._decide(line)

    def _look(self) -> None:
        """Decide about the held line or end the refused one if the target rests, or continue with waiting input."""
        self._timer = None
        if self._is_closed:
            return
        if self._state in (_State.SETTLING, _State.RECOVERING):
            if self._rest.is_settled(is_echo_due=self._state is _State.RECOVERING):
                self._settled()
            else:
                self._arm(QUIET_S)
        elif self._session.is_output_paused or self._rest.awaits_fence:
            self._arm(_PAUSED_S)
        elif not self._rest.is_fenced or self._rests():
            self._rested()
        else:
            self._arm(QUIET_S / 3)

    def _rests(self) -> bool:
        """Whether the target rests. A refused line need not be shown."""
        return self._rest.rests(is_echo_due=self._state is _State.HELD)

    def _rested(self) -> None:
        if self._state is _State.REFUSED:
            self._end_refused()
        else:
            self._decide(self._held_line())

    def _held_line(self) -> HeldLine:
        return self._line.held(self._session.standing_line(), self._held_kind)

    def _decide(self, line: HeldLine) -> None:
        if self._judge.size(line) + self._dropped.size <= LARGE:
            self._decided(self._judged(line))
        else:
            self._begin(_State.ASKING)
            self._asking = asyncio.create_task(self._decide_aside(line), name="command filters")

    async def _decide_aside(self, line: HeldLine) -> None:
        ruling = await asyncio.to_thread(self._judged, line)
        self._asking = None
        if self._state is _State.ASKING and not self._is_closed:
            self._decided(ruling)

    def _judged(self, line: HeldLine) -> Ruling:
        ruling = self._judge.line(line, is_recorded=self._session.recorded)
        return (self._kept(line) or ruling) if ruling.action is CommandAction.ALLOW else ruling

    def _kept(self, line: HeldLine) -> Ruling | None:
        return self._dropped.refusal_with(line, self._judge, is_recorded=self._session.recorded)

    def _decided(self, ruling: Ruling) -> None:
        if ruling.action is CommandAction.ALLOW:
            self._release(ruling)
        elif ruling.line.is_unseen and monotonic_s() - self._held_s < _LATE_ECHO_S:
            self._state = _State.HELD
            self._arm(_PAUSED_S)
        elif ruling.action is CommandAction.CONFIRM and (confirmation := self._new_confirmation()) is not None:
            self._ask(ruling, confirmation)
        else:
            self._refuse(ruling)

    # What becomes of it

    def _release(self, ruling: Ruling) -> None:
        self._judge.release(ruling)
        held, stays = self._held, self._held_kind is not Stroke.RUN
        self._held = b""
        self._modes.released(is_certain=ruling.line.agrees)
        self._released_s = monotonic_s()
        self._dropped.forget()
        self._line.restart(is_known=not stays)
        self._begin(_State.SETTLING if self._waiting else _State.OPEN)
        self._forward(held)

    def _begin(self, state: _State) -> None:
        self._state = state
        self._rest.begin()
        if state in (_State.SETTLING, _State.RECOVERING):
            self._arm(QUIET_S)
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _settled(self) -> None:
        """The target rests after a released or refused line: continue with what waits."""
        if (
            self._state is _State.RECOVERING
            and self._interrupts
            and self._dropped.may_stand(self._session.standing_line())
        ):
            self._interrupt_refused()
            return
        self._state = _State.OPEN
        waiting = bytes(self._waiting)
        self._waiting.clear()
        if waiting:
            self._pass(waiting)
        else:
            self._has_announced = False
        if not self.is_full:
            self._session.caught_up()

    def _refuse(self, ruling: Ruling, sentence: str = "") -> None:
        self._stop_waiting()
        self._judge.drop()
        self._line.restart()
        self._modes.interrupted()
        line, decision = ruling.line, ruling.decision
        self._session.line_refused(line.text, decision, is_hidden=line.is_hidden)
        self._session.tell_user(sentence or refusal(decision, self._session.language))
        self._refused, self._interrupts = line, _INTERRUPTS
        self._dropped.drop(line, rests=False)
        if self._rests():
            self._end_refused()
        else:
            self._begin(_State.REFUSED)
            self._rest.forget_fence()
            self._wait_for_rest()
        self._session.caught_up()

    def _end_refused(self) -> None:
        """Send Ctrl-C for the refused line while the shell waits for a key: one that handles a key may keep its line."""
        self._dropped.drop(self._refused, rests=True)
        self._interrupt_refused()

    def _interrupt_refused(self) -> None:
        self._interrupts -= 1
        self._begin(_State.RECOVERING)
        self._forward(_INTERRUPT, is_own=True)

    def _ask(self, ruling: Ruling, confirmation: Confirmation) -> None:
        if ruling.line.is_hidden:
            self._refuse(ruling)  # a reviewer could not see what they confirm, and it may be a password
            return
        self._begin(_State.ASKING)
        language = self._session.language
        self._session.tell_user(Text.ASKING.say(language, filter=filter_of(ruling.decision, language)))
        self._asking = asyncio.create_task(self._asked(ruling, confirmation), name="command confirmation")

    async def _asked(self, ruling: Ruling, confirmation: Confirmation) -> None:
        try:
            is_approved, sentence = await confirmation.answer(ruling.decision, ruling.line.text, ruling.command)
        except Exception:  # whatever fails, the line must not stay held for ever
            log.exception("a confirmation failed")
            is_approved, sentence = False, Text.CONTROL_AWAY.say(self._session.language)
        self._asking = None
        if self._state is not _State.ASKING or self._is_closed:
            return
        if not is_approved:
            denial = refusal(ruling.decision, self._session.language)
            self._refuse(ruling, " ".join(filter(None, (denial, sentence))))
            return
        # Output may have changed the line meanwhile, and so may an order have changed the rules.
        line = self._held_line()
        again = self._judged(line)
        if again.action is CommandAction.DENY:
            self._refuse(again)
            return
        if squeezed(line.text) != squeezed(ruling.line.text):
            self._refuse(ruling, Text.CHANGED.say(self._session.language))
            return
        self._session.line_approved(line.text, approval(ruling.decision))
        self._session.tell_user(sentence or Text.APPROVED.say(self._session.language))
        self._release(again)

    # Changes

    def change(self, filters: Filters) -> None:
        """Use other rules from the next key on. A line that is being held is judged by the new rules."""
        self._judge.filters = filters

    def drop_waiting(self) -> None:
        """Drop what is held or waits, because the session is locked. A refused line still gets its Ctrl-C."""
        if self._state not in (_State.REFUSED, _State.RECOVERING):
            # Text of a block is noted in the line when it arrives, and forwarded later.
            if self._keys.drop_block() or (self._state is _State.ASKING and not self._held):
                self._line.distrust_keys()
            self._stop_waiting(forgets_keys=False)
            self._state = _State.OPEN

    def close(self) -> None:
        """Drop everything at the end of the session."""
        self._is_closed = True
        self._stop_waiting()
