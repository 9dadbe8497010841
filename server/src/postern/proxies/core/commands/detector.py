"""Detects commands: the lines that a user enters at a prompt, read from the echo on the screen instead of the keys.

States: idle → first key: an emulated screen is filled with the end of the output, and its cursor marks the end of the
prompt → editing: output goes to that screen → Enter: submitted, until the echo has ended → the text between the end of
the prompt and the end of the line is read → idle. Output is emulated only between the first key and the end of a line,
so floods of output cost nothing. Alternate screens have their own reader. By switching to one the target can change the
kind of a line, but it cannot switch detection off.

This is an audit aid and not a security boundary: aliases, scripts, editors and hidden input are not resolved. The
recording is the evidence.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto
from typing import Final

from postern.contracts.enums import CommandKind
from postern.contracts.vt import Screen, usable_size
from postern.kernel.clock import monotonic_s
from postern.proxies.core.commands.alternate import AlternateScreen
from postern.proxies.core.commands.detected import DetectedCommand, Submitted, judge
from postern.proxies.core.commands.entry import Entry
from postern.proxies.core.commands.keys import Key, KeyReader, TypedLine
from postern.proxies.core.commands.line import UNKNOWN_PROMPT, Prompt, prompt_at_cursor, read_line
from postern.proxies.core.commands.modes import Change, ModeWatch
from postern.proxies.core.commands.plain_text import squeezed
from postern.proxies.core.commands.standing import StandingLine
from postern.proxies.core.commands.tail import Tail
from postern.proxies.core.commands.typed_ahead import TypedAhead

#: Maximum output (bytes, seconds) that is emulated for one line. Beyond either limit the line counts as unknown.
_LINE_BUDGET: Final = 64 * 1024
_LINE_BUDGET_S: Final = 0.25
#: Maximum rows of the emulated screen. A line needs no more, and hostile output cannot make emulation expensive.
_MAX_ROWS: Final = 100
#: After this time, a key no longer belongs to a line whose echo has not arrived.
_PATIENCE_MS: Final = 2000
#: The same limit if output has arrived since the Enter, but without the usual end of the line.
_SHORT_PATIENCE_MS: Final = 100
_KNOWN_PROMPTS: Final = 4
#: The echo of a key contains none of these bytes in a shell without a line editor.
_NOT_OF_AN_ECHO: Final = (b"\n", b"\r", b"\x1b")


class _State(Enum):
    IDLE = auto()
    EDITING = auto()
    SUBMITTED = auto()
    AHEAD = auto()  # several lines were entered at once; the first has been read


class CommandDetector:
    """Detects commands from both directions of a terminal, which must be passed in order.

    `on_command` is called with each entry, after its first output has arrived. Times are milliseconds on one clock that
    the caller chooses. Nothing that the peers send makes a method raise.
    """

    def __init__(self, columns: int, rows: int, on_command: Callable[[DetectedCommand], None]) -> None:
        self._size = usable_size(columns, rows)
        self._entry = Entry(on_command)
        self._keys = KeyReader()
        self._modes = ModeWatch()
        self._tail = Tail()
        self._alternate: AlternateScreen | None = None
        self._state = _State.IDLE
        self._screen: Screen | None = None
        self._fed = 0
        self._spent_s = 0.0
        self._prompt = UNKNOWN_PROMPT
        self._prompts: deque[Prompt] = deque(maxlen=_KNOWN_PROMPTS)
        self._typed = TypedLine()
        self._echoed = False
        self._prompt_came = False  # a line editor started after the first keys of this line had arrived
        self._more_than_echo = False  # more output than the echo of its keys arrived while this line was typed
        self._submitted: Submitted | None = None
        self._candidate: str | None = None
        self._last_byte = 0
        self._ahead = TypedAhead(self._entry)
        self._last_output_ms = 0
        self._editor_on_ms: int | None = None

    def user_input(self, data: bytes, now_ms: int) -> None:
        """Process what the user sent."""
        for key, text in self._keys.read(data):
            if self._alternate is not None:
                self._alternate_line(self._alternate.key(key, text, now_ms))
            else:
                self._key(key, text, now_ms)

    def target_output(self, data: bytes, now_ms: int) -> None:
        """Process output of the target, of any size. Empty data only reports that time has passed."""
        for piece, change in self._modes.split(data):
            if piece and self._alternate is not None:
                self._alternate_line(self._alternate.output(piece))
            elif piece:
                self._shown(piece)
            if change is Change.ALTERNATE_ON:
                self._enter_alternate()
            elif change is Change.ALTERNATE_OFF:
                self._alternate = None
            elif self._alternate is not None:
                continue
            elif change is Change.EDITOR_OFF and self._state is _State.SUBMITTED:
                self._end_line(above=self._last_byte == ord("\n"))
            elif change is Change.EDITOR_ON:
                self._editor_came(now_ms)
        if data:
            self._last_output_ms = now_ms
        self.tick(now_ms)

    def _editor_came(self, now_ms: int) -> None:
        """A line editor is about to show its prompt, so the previous command has ended."""
        self._editor_on_ms = now_ms
        if self._state is _State.SUBMITTED and self._submitted is not None and self._submitted.typed.text is None:
            # The line was typed ahead with editing keys. The editor draws it now, behind a prompt that may be known.
            self._prompt = UNKNOWN_PROMPT
            self._new_screen()
        elif self._state is _State.SUBMITTED and self._submitted is not None:
            # No line feed ended the line. It was either hidden, or it was typed ahead and is echoed now.
            self._ahead.put_first(self._submitted)
            self._submitted = None
            self._screen = None
            self._state = _State.AHEAD
        if self._state is _State.EDITING:
            self._prompt_came = True
        else:
            self._entry.close()

    def resize(self, columns: int, rows: int) -> None:
        """Set the new terminal size in cells."""
        wider = usable_size(columns, rows)[0] - self._size[0]
        self._size = usable_size(columns, rows)
        if self._screen is not None:
            self._screen.resize(self._size[0], min(self._size[1], _MAX_ROWS))
            if self._prompt.right:
                self._prompt = replace(self._prompt, right_column=max(0, self._prompt.right_column + wider))
        if self._alternate is not None:
            self._alternate.resize(*self._size)

    def tick(self, now_ms: int) -> None:
        """Report a command that has been running for a while. To be called about once a second."""
        if self._entry.opened_ms is not None and now_ms - self._entry.opened_ms > _PATIENCE_MS:
            self._entry.close()

    def standing_line(self) -> StandingLine | None:
        """Return the line at the cursor, before its Enter. None if there was too much output to read it."""
        if self._alternate is not None:
            return self._alternate.standing_line()
        line = self._standing_line()
        return line and replace(line, has_editor=self._modes.editor or self._editor_on_ms is None)

    def _standing_line(self) -> StandingLine | None:
        if self._state is _State.EDITING and self._keys_went_elsewhere():
            self._forget_line()
        if self._state is not _State.EDITING:
            return self._line_behind_known_prompt()
        text = self._line_text(above=False)
        if text is None:  # too much output, which may have come from the target on purpose
            behind = self._line_behind_known_prompt()
            return behind if self._screen is None and behind.has_prompt else None
        if self._prompt.known:
            return StandingLine(text, self._prompt.text, has_prompt=True)
        behind = self._line_behind_known_prompt()
        return behind if behind.has_prompt else StandingLine(text)

    def _line_behind_known_prompt(self) -> StandingLine:
        """Read the line from the end of the output: keys may have been typed ahead, or the host wrote the line."""
        columns, rows = self._size
        screen = Screen(columns, min(rows, _MAX_ROWS))
        screen.feed(self._tail.seed())
        y = screen.cursor[1]
        for prompt in self._prompts:
            text = read_line(screen, prompt, y)
            if text is not None and "\n" not in text:
                return StandingLine(text, prompt.text, has_prompt=True)
        return StandingLine(read_line(screen, UNKNOWN_PROMPT, y) or "", screen.text(y, 0, screen.cursor[0]))

    def close(self) -> None:
        """Report the open entries at the end of the session."""
        if self._state is _State.SUBMITTED:
            self._end_line()
        self._ahead.give_up()
        self._entry.close()
        self._forget_line()

    # Keys

    def _key(self, key: Key, text: str, now_ms: int) -> None:
        if self._state is _State.SUBMITTED and self._line_is_over(now_ms):
            self._end_line()
        if self._state is _State.AHEAD and self._ahead_is_over(now_ms):
            self._give_up_ahead()
        if key is Key.GIVE_UP:
            self._give_up()
            return
        if self._state is _State.EDITING and self._keys_went_elsewhere():
            self._forget_line()
        if self._state is _State.IDLE:
            self._begin_line()
        if key is not Key.ENTER:
            self._typed.take(key, text)
        elif self._state is _State.EDITING:
            known = self._prompt.known
            self._submitted = Submitted(self._typed, now_ms, self._echoed, known)
            self._typed = TypedLine()
            self._candidate = None
            self._state = _State.SUBMITTED
        elif self._ahead.add(Submitted(self._typed, now_ms, echoed=False, prompt_known=False)):
            self._typed = TypedLine()

    def _line_is_over(self, now_ms: int) -> bool:
        """Whether the echo of the submitted line ended without the usual end of line, or never arrived."""
        if self._submitted is None:
            return False
        answered = self._candidate is not None or self._last_output_ms > self._submitted.at_ms
        patience_ms = _SHORT_PATIENCE_MS if answered else _PATIENCE_MS
        return min(now_ms - self._submitted.at_ms, now_ms - self._last_output_ms) > patience_ms

    def _keys_went_elsewhere(self) -> bool:
        """Whether a prompt appeared after the line's first key: the earlier keys went to a program that has since
        ended.
        """
        if self._prompt_came:
            self._prompt_came = False
            return self._keys_were_swallowed()
        if self._more_than_echo and not self._modes.editor:
            # A shell without a line editor (dash) does not announce its prompt. An earlier prompt has appeared again
            # instead.
            self._more_than_echo = False
            return self._at_known_prompt()
        return False

    def _at_known_prompt(self) -> bool:
        """Whether the cursor is directly behind a prompt at which a command was entered before."""
        before = self._before_cursor()
        return bool(before) and before in {squeezed(prompt.text) for prompt in self._prompts}

    def _before_cursor(self) -> str:
        columns, rows = self._size
        screen = Screen(columns, min(rows, _MAX_ROWS))
        screen.feed(self._tail.seed())
        x, y = screen.cursor
        return squeezed(screen.text(y, 0, min(x, screen.columns)))

    def _keys_were_swallowed(self) -> bool:
        """Whether the keys so far went to a program that has ended (`q` in `top`): none of them is echoed behind the
        prompt.
        """
        before, typed = self._before_cursor(), squeezed(self._typed.text or "")
        return bool(before and typed) and not any(before.endswith(typed[:end]) for end in range(1, len(typed) + 1))

    def _ahead_is_over(self, now_ms: int) -> bool:
        """Whether no more echo of lines typed ahead is expected: a prompt has appeared since, or no output for a
        while.
        """
        if not self._ahead:
            return False
        entered_ms = self._ahead.last_ms
        if self._editor_on_ms is not None and self._editor_on_ms >= entered_ms:
            return now_ms - self._last_output_ms > _SHORT_PATIENCE_MS
        return min(now_ms - entered_ms, now_ms - self._last_output_ms) > _PATIENCE_MS

    def _begin_line(self) -> None:
        screen = self._new_screen(self._tail.seed())
        self._prompt = prompt_at_cursor(screen)
        self._entry.close(prompt=self._prompt.text)
        if not self._prompt.text.strip():
            self._prompt = UNKNOWN_PROMPT
        self._start_editing()

    def _new_screen(self, seed: bytes = b"") -> Screen:
        columns, rows = self._size
        screen = Screen(columns, min(rows, _MAX_ROWS))
        screen.feed(seed)
        screen.keep_wraps()
        self._screen = screen
        self._fed = 0
        self._spent_s = 0.0
        return screen

    def _start_editing(self) -> None:
        self._typed = TypedLine() if self._state is _State.IDLE else self._typed
        self._echoed = False
        self._prompt_came = False
        self._more_than_echo = False
        self._last_byte = 0
        self._state = _State.EDITING

    def _give_up(self) -> None:
        """Discard the line and all lines typed ahead, on Ctrl-C."""
        self._ahead.drop()
        self._typed = TypedLine()
        if self._state is not _State.SUBMITTED:
            self._forget_line()

    def _forget_line(self) -> None:
        self._state = _State.IDLE
        self._screen = None
        self._submitted = None
        self._candidate = None
        self._typed = TypedLine()
        self._ahead.restart()

    # Output

    def _shown(self, data: bytes) -> None:
        self._tail.add(data)
        if self._state is _State.EDITING:
            self._feed(data)
            self._echoed = self._echoed or bool(data.strip(b"\r\n\x07"))
            self._more_than_echo = self._more_than_echo or any(sign in data for sign in _NOT_OF_AN_ECHO)
        elif self._state is _State.SUBMITTED:
            self._shown_after_enter(data)
        else:
            self._entry.capture(data)
            if self._state is _State.AHEAD:
                self._look_for_ahead(data)

    def _feed(self, data: bytes) -> None:
        self._fed += len(data)
        if self._screen is not None and self._fed <= _LINE_BUDGET and self._spent_s <= _LINE_BUDGET_S:
            start_s = monotonic_s()
            self._screen.feed(data)
            self._spent_s += monotonic_s() - start_s
            last = data.rstrip(b"\r")[-1:]
            self._last_byte = last[0] if last else self._last_byte
        else:
            self._screen = None

    def _shown_after_enter(self, data: bytes) -> None:
        end = data.find(b"\n")
        if self._modes.editor:
            # The editor announces the end of the line. Until then, keep the line as it looks at its first line feed.
            if end >= 0 and self._candidate is None:
                self._feed(data[:end])
                self._candidate = self._line_text(above=False)
                data = data[end:]
            self._feed(data)
            if self._fed > _LINE_BUDGET:
                self._end_line()
        elif end < 0 or self._is_raw_echo(data[:end]):
            self._feed(data)
            if self._fed > _LINE_BUDGET:
                self._end_line()
        else:
            self._feed(data[:end])
            self._end_line()
            self._shown_rest(data[end:])

    def _is_raw_echo(self, data: bytes) -> bool:
        """Whether this is the kernel's echo of editing keys: no editor is reading yet, and the editor will draw the
        line later.
        """
        line = self._submitted
        return line is not None and line.typed.text is None and not line.prompt_known and b"^[" in data

    def _shown_rest(self, data: bytes) -> None:
        """Process what follows the end of the line in the same chunk. The tail already contains it."""
        self._entry.capture(data)
        if self._state is _State.AHEAD:
            self._look_for_ahead(data)
        elif self._state is _State.EDITING:
            self._feed(data)

    def _line_text(self, *, above: bool) -> str | None:
        if self._screen is None:
            return None
        last_y = self._screen.cursor[1] - (1 if above else 0)
        if self._prompt.known:
            line_text = read_line(self._screen, self._prompt, last_y)
            if line_text is not None:
                return line_text
        for prompt in self._prompts:
            line_text = read_line(self._screen, prompt, last_y)
            if line_text is not None and "\n" not in line_text:
                if self._submitted is not None:
                    self._submitted.prompt_known = True
                return line_text
        if self._submitted is not None:
            self._submitted.prompt_known = False
        return read_line(self._screen, UNKNOWN_PROMPT, last_y)

    def _end_line(self, *, above: bool = False) -> None:
        """Handle the complete echo: read the line, open its entry, and continue with keys typed in the meantime."""
        line = self._submitted
        if line is None:
            return
        line_text = self._line_text(above=above)
        if self._candidate is not None and not above and self._screen is not None and self._modes.editor:
            line_text = self._candidate
        verdict = judge(line, line_text)
        if verdict is not None and verdict[0] is CommandKind.HIDDEN and not line.prompt_known:
            # This line feed was not the echo of a line typed before its prompt appeared. The echo may still arrive.
            self._ahead.put_first(line)
        elif verdict is not None:
            self._entry.open(*verdict, line.at_ms)
            if verdict[0] is CommandKind.ECHO and self._prompt.known and self._prompt not in self._prompts:
                self._prompts.appendleft(self._prompt)
        self._submitted = None
        self._candidate = None
        if self._ahead:
            self._state = _State.AHEAD
            self._screen = None
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Continue when no line waits for its echo. Keys of the next line may already have arrived."""
        if self._typed.keys:
            self._prompt = UNKNOWN_PROMPT
            self._new_screen()
            self._start_editing()
        else:
            self._state = _State.IDLE
            self._screen = None

    # Lines typed ahead

    def _look_for_ahead(self, data: bytes) -> None:
        rest = self._ahead.look(data)
        if rest is not None:
            self._go_on()
            if self._screen is not None:
                self._feed(rest)

    def _give_up_ahead(self) -> None:
        """Stop waiting for the echo of the lines typed ahead."""
        self._ahead.give_up()
        self._entry.close()
        self._go_on()

    # Alternate screen

    def _enter_alternate(self) -> None:
        if self._state is _State.SUBMITTED:
            self._end_line()
        self._entry.close()
        self._forget_line()
        self._alternate = AlternateScreen(*self._size)

    def _alternate_line(self, line: tuple[str, int] | None) -> None:
        if line is not None and line[0]:
            self._entry.open(CommandKind.ALT, line[0], line[1])
            self._entry.close()
