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
import re
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from postern.contracts.command_control import CommandAction, CommandDecision
from postern.kernel.clock import monotonic_s
from postern.proxies.core.commands.plain_text import squeezed
from postern.proxies.core.holding.confirming import Confirmation
from postern.proxies.core.holding.dropped_line import DroppedLine
from postern.proxies.core.holding.edited_line import EditedLine
from postern.proxies.core.holding.filters import Filters
from postern.proxies.core.holding.keystrokes import RUNS, Keystroke, KeystrokeReader, Stroke
from postern.proxies.core.holding.ports import FencedTarget, GuardedSession
from postern.proxies.core.holding.rulings import HeldLine, LineJudge, Ruling
from postern.proxies.core.holding.texts import Text, filter_of, refusal

log = logging.getLogger(__name__)

#: Input that may wait. With more, the user's side is not read.
_MAX_WAITING: Final = 64 * 1024
#: The target rests when it shows nothing for this long. Measured with bash and zsh at up to 80 ms of distance.
_QUIET_S: Final = 0.015
#: Constant output must not hold a line for ever: after the fence it is judged as it stands.
_NEVER_QUIET_S: Final = 0.3
#: A target that answers no fence for this long: the line is judged as it stands.
_NO_FENCE_S: Final = 10.0
#: How long waiting input waits for the target to rest after a line was released or refused.
_SETTLE_S: Final = 0.2
#: The wait while the user's side does not take output, so that the screen is out of date.
_PAUSED_S: Final = 0.05
#: A line that would be refused, and that the screen does not show, waits this long for its echo: a busy host shows keys
#: late. Then it is taken for hidden.
_LATE_ECHO_S: Final = 1.0
_ECHO_BYTES: Final = 4 * 1024
#: How many of the last echoes count, and the longest that one is taken to be. Behind a second hop the fence is answered
#: before the echo.
_ECHOES: Final = 8
_LONGEST_ECHO_S: Final = 0.5
#: Longer lines are judged in a thread, so that nobody else waits for them.
LARGE: Final = 512
#: Pasted lines that wait are announced from this number on.
_MANY_LINES: Final = 3
_INTERRUPT: Final = b"\x03"
#: How often a refused line gets Ctrl-C, while no new prompt is seen.
_INTERRUPTS: Final = 3
#: What zsh shows before its prompts, and the modes with which line editors announce and leave their prompt.
_ZSH_MARK: Final = b"\x1b[1m\x1b[7m%"
_EDITOR_MODE: Final = re.compile(rb"\x1b\[\?2004([hl])")
#: How often bash leaves its line editor at Ctrl-C.
_OFFS_OF_INTERRUPT: Final = 2
#: Keys that end or suspend a program.
_ENDING: Final = frozenset({b"\x1a", b"\x1c"})


class _State(Enum):
    OPEN = auto()
    HELD = auto()
    ASKING = auto()
    SETTLING = auto()
    REFUSED = auto()
    RECOVERING = auto()


class InputGate:
    """The gate of one terminal. `put` takes the user's input, `output` is called with each output of the target."""

    def __init__(
        self,
        session: GuardedSession,
        target: FencedTarget,
        filters: Filters,
        charset: str,
        new_confirmation: Callable[[], Confirmation | None],
        *,
        is_new_line: bool = True,
    ) -> None:
        """`is_new_line` is False if keys of a line may have been forwarded before."""
        self._session = session
        self._target = target
        self._new_confirmation = new_confirmation
        self._loop = asyncio.get_running_loop()
        self.judge = LineJudge(filters)
        self._strokes = KeystrokeReader()
        self._line = EditedLine(charset)
        #: Output since the first key of the line.
        self._echo = bytearray()
        if not is_new_line:
            self._line.restart(is_known=False, keys=1)
            self._echo += b"?"
        self._state = _State.OPEN
        self._waiting = bytearray()
        self._held = b""
        self._held_kind = Stroke.RUN
        self._paste: bytearray | None = None
        self._paste_lines = ""
        self._has_editor = False
        self._editor_is_fresh = False
        #: Lines that were released, and have not left their line editor yet.
        self._runs = 1
        self._last_output_s = 0.0
        self._since_s = 0.0
        self._held_s = 0.0
        self._released_s = 0.0
        self._forwarded_s = 0.0
        self._dropped = DroppedLine()
        self._refused = HeldLine("", None)
        #: Ctrl-C that the refused line may still get.
        self._interrupts = 0
        #: When a key was forwarded whose echo has not arrived, and the last times that echoes took.
        self._key_s = 0.0
        self._echo_times: deque[float] = deque([0.0], maxlen=_ECHOES)
        self._fence_s: float | None = None
        self._fence_number = 0
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
        """Forward input up to the next key that can run a line."""
        onward = bytearray()
        for stroke, rest in self._strokes.read(data):
            if self._paste is not None:
                if self._in_paste(stroke, onward, rest):
                    return
            elif stroke.kind is Stroke.PASTE_BEGINS and self._takes_blocks():
                self._line.take(stroke)
                self._paste = bytearray(stroke.data)
                self._paste_lines = ""
            elif self._is_held(stroke):
                self._forward(bytes(onward))
                self._hold(stroke, rest)
                return
            else:
                self._take(stroke)
                onward += stroke.data
        self._forward(bytes(onward))

    def _is_held(self, stroke: Keystroke) -> bool:
        if stroke.kind is Stroke.RUN:
            return True
        if stroke.kind is Stroke.END:
            return self._line.keys > 0 and not self._is_in_editor()
        return stroke.kind in RUNS and not self._is_in_editor()

    def _takes_blocks(self) -> bool:
        """Whether the program that reads has asked for pasted blocks to be marked, so that line ends in them are text."""
        return self._has_editor and (self._editor_is_fresh or self._is_in_editor())

    def _is_in_editor(self) -> bool:
        """Whether a full-screen program reads the keys. Only Enter can run something in it."""
        screen = self._session.standing_line() if self.judge.reader.is_editor else None
        return screen is not None and screen.is_alternate

    def _take(self, stroke: Keystroke) -> None:
        if self._line.keys == 0:
            self._echo.clear()
        if stroke.kind is Stroke.INTERRUPT or stroke.whole in _ENDING:
            self._drop_line()
            self.judge.drop()
            self._runs += _OFFS_OF_INTERRUPT
        elif stroke.kind is Stroke.END:
            self.judge.drop()
            self._runs += 1
        else:
            self._line.take(stroke)

    def _in_paste(self, stroke: Keystroke, onward: bytearray, rest: bytes) -> bool:
        """Collect a pasted block. Its lines are judged before it is forwarded: whether the program that reads it takes
        line ends as text is the program's affair. Returns whether `rest` was taken over, because the block is complete.
        """
        if self._paste is None:
            return False
        self._paste += stroke.data
        self._line.take(stroke)
        text = stroke.whole.decode("utf-8", "replace")
        if stroke.kind is not Stroke.PASTE_ENDS:
            self._paste_lines += "\n" if stroke.kind is Stroke.RUN else text
            if len(self._paste) <= _MAX_WAITING:
                return False
        block, self._paste = bytes(self._paste), None
        if "\n" not in self._paste_lines or self._is_in_editor():
            onward += block
            return False
        self._forward(bytes(onward))
        self._begin(_State.ASKING)
        if not self._wait_or_interrupt(rest):
            self._asking = self._loop.create_task(self._judge_block(block, self._paste_lines), name="command filters")
        return True

    async def _judge_block(self, block: bytes, text: str) -> None:
        screen, is_recorded = self._session.standing_line(), self._session.recorded
        ruling = await asyncio.to_thread(self.judge.block, text, screen, is_recorded=is_recorded)
        ruling = ruling or await asyncio.to_thread(self._kept, HeldLine(text.partition("\n")[0], screen))
        self._asking = None
        if self._state is not _State.ASKING or self._is_closed:
            return
        if ruling is not None:
            self._refuse(ruling)
        else:
            self._begin(_State.SETTLING)
            self._forward(block)

    def _forward(self, data: bytes) -> None:
        if data and self._session.user_input(data):
            self._target.write(data)
            self._forwarded_s = monotonic_s()
            if self._state is _State.OPEN and not self._key_s and monotonic_s() - self._last_output_s > _QUIET_S:
                self._key_s = monotonic_s()

    def _interrupt(self) -> None:
        """Ctrl-C drops the held line and everything behind it."""
        self._stop_waiting()
        self._strokes.forget()
        self.judge.drop()
        self._drop_line()
        self._state = _State.OPEN
        self._runs += _OFFS_OF_INTERRUPT
        self._forward(_INTERRUPT)
        self._session.caught_up()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None
        self._fence_number += 1
        self._waiting.clear()
        self._held = b""
        self._paste = None
        self._has_announced = False

    def _new_line(self, *, is_known: bool = True) -> None:
        self._line.restart(is_known=is_known)
        self._echo.clear()

    def _drop_line(self) -> None:
        """Begin a new line because Ctrl-C is sent."""
        if self._line.keys:
            since_s = monotonic_s() - max(self._last_output_s, self._forwarded_s)
            self._dropped.drop(self._held_line(), rests=since_s >= _QUIET_S)
        self._new_line()

    # Holding a line

    def _hold(self, stroke: Keystroke, rest: bytes) -> None:
        self._held, self._held_kind = stroke.data, stroke.kind
        self._state = _State.HELD
        if self._wait_or_interrupt(rest):
            return
        self._since_s = self._held_s = monotonic_s()
        self._fence_s = None
        self._announce()
        line = self._held_line()
        if line.agrees or self._is_empty(line):
            self._decide(line)
            return
        self._wait_for_rest()

    def _wait_for_rest(self) -> None:
        self._fence_number += 1
        number = self._fence_number
        if not self._target.fence(lambda: self._fence_reached(number)):
            self._fence_s = self._since_s
        self._arm(_QUIET_S)

    def _is_empty(self, line: HeldLine) -> bool:
        """Whether Enter was pressed at a prompt that rests, without a key before it."""
        rests = self._released_s < self._last_output_s < self._since_s - _QUIET_S
        return rests and line.screen is not None and line.typed == "" and not line.has_keys

    def _announce(self) -> None:
        lines = self._waiting.count(b"\r") + self._waiting.count(b"\n")
        if lines >= _MANY_LINES and not self._has_announced:
            self._has_announced = True
            self._session.tell_user(Text.LINES_WAIT.say(self._session.language, count=lines + 1))

    def _fence_reached(self, number: int) -> None:
        if number == self._fence_number and self._state in (_State.HELD, _State.REFUSED) and not self._is_closed:
            self._fence_s = monotonic_s()
            self._arm(_QUIET_S)

    def _arm(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._look)

    def output(self, data: bytes) -> None:
        """Note output of the target, which the command detector has received already."""
        self._last_output_s = monotonic_s()
        if self._key_s:
            self._echo_times.append(min(_LONGEST_ECHO_S, self._last_output_s - self._key_s))
            self._key_s = 0.0
        if self._line.keys and len(self._echo) < _ECHO_BYTES:
            self._echo += data
        self._dropped.output(data)
        if b"\x1b[" in data:
            self._look_for_marks(data)
        if self._state is _State.HELD and self._line.text is not None and not self._is_looking:
            self._is_looking = True
            self._loop.call_soon(self._look_for_agreement)

    def _look_for_marks(self, data: bytes) -> None:
        if _ZSH_MARK in data:
            self.judge.is_zsh()
        for mode in _EDITOR_MODE.finditer(data):
            if mode[1] == b"l" and self._has_editor:
                if self._runs == 0:
                    screen = self._session.standing_line()
                    self._session.line_not_held(screen.text if screen is not None else "")
                self._runs = max(0, self._runs - 1)
            self._has_editor = self._editor_is_fresh = mode[1] == b"h"

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
        now_s = monotonic_s()
        quiet_s = now_s - max(self._last_output_s, self._since_s)
        if self._state in (_State.SETTLING, _State.RECOVERING):
            rests = self._last_output_s > self._since_s and quiet_s >= _QUIET_S
            longest_s = _SETTLE_S + (max(self._echo_times) if self._state is _State.RECOVERING else 0.0)
            if rests or now_s - self._since_s >= longest_s:
                self._settled()
            else:
                self._arm(_QUIET_S)
        elif self._session.is_output_paused:
            self._arm(_PAUSED_S)
        elif self._fence_s is None:
            if now_s - self._since_s >= _NO_FENCE_S:
                self._rested()
            else:
                self._arm(_PAUSED_S)
        elif self._rests(now_s, quiet_s, self._fence_s):
            self._rested()
        else:
            self._arm(_QUIET_S / 3)

    def _rested(self) -> None:
        if self._state is _State.REFUSED:
            self._end_refused()
        else:
            self._decide(self._held_line())

    def _rests(self, now_s: float, quiet_s: float, fence_s: float) -> bool:
        """Whether the screen shows the whole line, as far as anyone can tell. A refused line need not be shown."""
        echo_s = self._since_s + max(self._echo_times) if self._state is _State.HELD else 0.0
        if now_s - max(fence_s, echo_s) < _QUIET_S:
            return False
        return quiet_s >= _QUIET_S or now_s - fence_s >= _NEVER_QUIET_S

    def _held_line(self) -> HeldLine:
        screen = self._session.standing_line()
        echo = bytes(self._echo)
        shows_editor = screen is not None and screen.has_prompt and screen.has_editor
        return HeldLine(
            self._line.text,
            screen,
            has_keys=self._line.keys > 0,
            is_echoed=bool(echo.strip(b"\r\n\x07")),
            is_raw_echo=self._line.is_raw_echo(echo) and (self._line.echoes_controls or not shows_editor),
            is_edited_later=self._held_kind is Stroke.EDIT_AND_RUN,
        )

    def _decide(self, line: HeldLine) -> None:
        if self.judge.size(line) + self._dropped.size <= LARGE:
            self._decided(self._judged(line))
        else:
            self._begin(_State.ASKING)
            self._asking = self._loop.create_task(self._decide_aside(line), name="command filters")

    async def _decide_aside(self, line: HeldLine) -> None:
        ruling = await asyncio.to_thread(self._judged, line)
        self._asking = None
        if self._state is _State.ASKING and not self._is_closed:
            self._decided(ruling)

    def _judged(self, line: HeldLine) -> Ruling:
        ruling = self.judge.line(line, is_recorded=self._session.recorded)
        return (self._kept(line) or ruling) if ruling.action is CommandAction.ALLOW else ruling

    def _kept(self, line: HeldLine) -> Ruling | None:
        """The ruling that does not let `line` run together with one that the shell may have kept."""
        if self._dropped.may_stand(line.screen):
            for kept in self._dropped.with_next(line):
                ruling = self.judge.line(kept, is_recorded=self._session.recorded)
                if ruling.action is not CommandAction.ALLOW:
                    return ruling
        return None

    def _decided(self, ruling: Ruling) -> None:
        if ruling.action is CommandAction.ALLOW:
            self._release(ruling)
        elif self._may_be_shown_yet(ruling.line):
            self._state = _State.HELD
            self._arm(_PAUSED_S)
        elif ruling.action is CommandAction.CONFIRM and (confirmation := self._new_confirmation()) is not None:
            self._ask(ruling, confirmation)
        else:
            self._refuse(ruling)

    def _may_be_shown_yet(self, line: HeldLine) -> bool:
        """Whether an echo that comes late may still show the line."""
        return (line.is_hidden or line.is_unreadable) and monotonic_s() - self._held_s < _LATE_ECHO_S

    # What becomes of it

    def _release(self, ruling: Ruling) -> None:
        self.judge.release(ruling)
        held, stays = self._held, self._held_kind is not Stroke.RUN
        self._held = b""
        self._runs = 1 if ruling.line.agrees else self._runs + 1
        self._released_s = monotonic_s()
        self._dropped.forget()
        self._editor_is_fresh = False
        self._new_line(is_known=not stays)
        self._begin(_State.SETTLING if self._waiting else _State.OPEN)
        self._forward(held)

    def _begin(self, state: _State) -> None:
        self._state = state
        self._since_s = monotonic_s()
        if state in (_State.SETTLING, _State.RECOVERING):
            self._arm(_QUIET_S)
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

    def _refuse(self, ruling: Ruling, decision: CommandDecision | None = None, sentence: str = "") -> None:
        decision = decision or ruling.decision
        self._stop_waiting()
        self._strokes.forget()
        self.judge.drop()
        self._new_line()
        self._runs += _OFFS_OF_INTERRUPT
        line = ruling.line
        self._session.line_refused(line.text, decision, is_hidden=line.is_hidden)
        self._session.tell_user(sentence or refusal(decision, self._session.language))
        self._refused, self._interrupts = line, _INTERRUPTS
        self._dropped.drop(line, rests=False)
        rests = self._fence_s is not None and self._rests(
            monotonic_s(), monotonic_s() - self._last_output_s, self._fence_s
        )
        if rests:
            self._end_refused()
        else:
            self._begin(_State.REFUSED)
            self._fence_s = None
            self._wait_for_rest()
        self._session.caught_up()

    def _end_refused(self) -> None:
        """Send Ctrl-C for the refused line while the shell waits for a key: one that handles a key may keep its line."""
        self._dropped.drop(self._refused, rests=True)
        self._interrupt_refused()

    def _interrupt_refused(self) -> None:
        self._interrupts -= 1
        self._begin(_State.RECOVERING)
        self._forward(_INTERRUPT)

    def _ask(self, ruling: Ruling, confirmation: Confirmation) -> None:
        if ruling.line.is_hidden:
            self._refuse(ruling)  # a reviewer could not see what they confirm, and it may be a password
            return
        self._begin(_State.ASKING)
        language = self._session.language
        self._session.tell_user(Text.ASKING.say(language, filter=filter_of(ruling.decision, language)))
        self._asking = self._loop.create_task(self._asked(ruling, confirmation), name="command confirmation")

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
            self._refuse(
                ruling, sentence=" ".join(filter(None, (refusal(ruling.decision, self._session.language), sentence)))
            )
            return
        # Output may have changed the line meanwhile, and so may an order have changed the rules.
        line = self._held_line()
        again = self._judged(line)
        if squeezed(line.text) != squeezed(ruling.line.text) or again.action is CommandAction.DENY:
            denied = again.action is CommandAction.DENY
            self._refuse(
                again if denied else ruling, sentence="" if denied else Text.CHANGED.say(self._session.language)
            )
            return
        decision = CommandDecision(
            action=CommandAction.ALLOW,
            rule_id=ruling.decision.rule_id,
            filter_name=ruling.decision.filter_name,
            reason=ruling.decision.reason,
        )
        self._session.line_approved(line.text, decision)
        self._session.tell_user(sentence or Text.APPROVED.say(self._session.language))
        self._release(again)

    # Changes

    def change(self, filters: Filters) -> None:
        """Use other rules from the next key on. A line that is being held is judged by the new rules."""
        self.judge.filters = filters

    def close(self) -> None:
        """Drop everything at the end of the session."""
        self._is_closed = True
        self._stop_waiting()
