"""The effects of control sequences: tables from a sequence's name to a function on `Terminal`.

The name of a CSI sequence is its private prefix, intermediates and final character, as in `?h` or ` q`.
"""

from collections.abc import Callable
from typing import Final

from postern.contracts.vt.style import DEFAULT
from postern.contracts.vt.terminal import MOUSE_ENCODINGS, MOUSE_PROTOCOLS, Terminal

Parameters = tuple[int, ...]
Control = Callable[[Terminal, Parameters], None]

_KEPT_MODES: Final = frozenset({1, 12, 45, 66, 1004, 2004, 2026, 25})


def _count(parameters: Parameters) -> int:
    """Return the first parameter as a count. Missing and 0 mean 1."""
    return (parameters[0] if parameters else 0) or 1


def _at(parameters: Parameters, index: int) -> int:
    return parameters[index] if index < len(parameters) else 0


def _line(terminal: Terminal) -> int:
    """Return the cursor's row as `place` counts it."""
    return terminal.y - terminal.grid.top if terminal.origin else terminal.y


def _cursor_up(terminal: Terminal, parameters: Parameters) -> None:
    room = terminal.y - terminal.grid.top
    terminal.move(0, -min(room, _count(parameters)) if room >= 0 else -_count(parameters))


def _cursor_down(terminal: Terminal, parameters: Parameters) -> None:
    room = terminal.grid.bottom - terminal.y
    terminal.move(0, min(room, _count(parameters)) if room >= 0 else _count(parameters))


def _cursor_next_line(terminal: Terminal, parameters: Parameters) -> None:
    _cursor_down(terminal, parameters)
    terminal.x = 0


def _cursor_previous_line(terminal: Terminal, parameters: Parameters) -> None:
    _cursor_up(terminal, parameters)
    terminal.x = 0


def _erase_in_display(terminal: Terminal, parameters: Parameters) -> None:
    terminal.restrict(terminal.columns)
    kind, style, rows, y = _at(parameters, 0), terminal.erase_style, terminal.rows, terminal.y
    if terminal.leaving is not None:
        _tell_erased(terminal, kind)
    if kind == 0:
        _erase_in_line(terminal, (0,))
        cleared = rows[y + 1 :]
    elif kind == 1:
        rows[y].erase(0, terminal.x + 1, style)
        rows[y].wrapped = False
        if terminal.x + 1 >= terminal.columns and y + 1 < len(rows):
            rows[y + 1].wrapped = False
        cleared = rows[:y]
    elif kind == 2:
        cleared = rows
    else:
        cleared = []
    for row in cleared:
        row.erase(0, terminal.columns, style)
        row.wrapped = False


def _tell_erased(terminal: Terminal, kind: int) -> None:
    """Tell about the rows that are erased completely. Line editors erase the rest of a row while they draw it."""
    rows, y = terminal.rows, terminal.y
    if kind == 0:
        terminal.erase(rows[y if terminal.x == 0 else y + 1 :])
    elif kind in (1, 2):
        terminal.erase(rows[:y] if kind == 1 else rows)


def _erase_in_line(terminal: Terminal, parameters: Parameters) -> None:
    terminal.restrict(terminal.columns)
    kind, row = _at(parameters, 0), terminal.rows[terminal.y]
    if kind == 0:
        row.erase(terminal.x, terminal.columns, terminal.erase_style)
        row.wrapped = row.wrapped and (terminal.x != 0 or terminal.keep_wraps)
    elif kind == 1:
        row.erase(0, terminal.x + 1, terminal.erase_style)
    elif kind == 2:
        row.erase(0, terminal.columns, terminal.erase_style)
        row.wrapped = False


def _edit_rows(edit: str) -> Control:
    def act(terminal: Terminal, parameters: Parameters) -> None:
        terminal.restrict()
        grid = terminal.grid
        if grid.top <= terminal.y <= grid.bottom:
            change = grid.insert_rows if edit == "insert" else grid.delete_rows
            change(terminal.y, _count(parameters), terminal.erase_style)
            terminal.x = 0

    return act


def _insert_characters(terminal: Terminal, parameters: Parameters) -> None:
    terminal.restrict()
    terminal.rows[terminal.y].insert(terminal.x, _count(parameters), terminal.erase_style)


def _delete_characters(terminal: Terminal, parameters: Parameters) -> None:
    terminal.restrict()
    terminal.rows[terminal.y].delete(terminal.x, _count(parameters), terminal.erase_style)


def _erase_characters(terminal: Terminal, parameters: Parameters) -> None:
    terminal.restrict()
    terminal.rows[terminal.y].erase(terminal.x, terminal.x + _count(parameters), terminal.erase_style)


def _shift_columns(*, left: bool, from_cursor: bool) -> Control:
    """SL, SR, DECIC and DECDC: shift the cells of all rows of the scroll region sideways."""

    def act(terminal: Terminal, parameters: Parameters) -> None:
        grid = terminal.grid
        if not grid.top <= terminal.y <= grid.bottom:
            return
        at = min(terminal.x, terminal.columns - 1) if from_cursor else 0
        for row in grid.rows[grid.top : grid.bottom + 1]:
            (row.delete if left else row.insert)(at, _count(parameters), terminal.erase_style)
            row.wrapped = False

    return act


def _set_region(terminal: Terminal, parameters: Parameters) -> None:
    top = _count(parameters)
    bottom = _at(parameters, 1)
    if bottom == 0 or bottom > terminal.row_count:
        bottom = terminal.row_count
    if bottom > top:
        terminal.grid.top, terminal.grid.bottom = top - 1, bottom - 1
        terminal.place(0, 0)


def _clear_tabs(terminal: Terminal, parameters: Parameters) -> None:
    kind = _at(parameters, 0)
    if kind == 0:
        terminal.grid.tabs.discard(terminal.x)
    elif kind == 3:
        terminal.grid.tabs.clear()


def _set_ansi_mode(*, on: bool) -> Control:
    def act(terminal: Terminal, parameters: Parameters) -> None:
        for mode in parameters:
            if mode == 4:
                terminal.insert = on
            elif mode == 20:
                terminal.newline = on

    return act


def _set_private_mode(*, on: bool) -> Control:  # noqa: C901 - one branch for each kind of mode
    def act(terminal: Terminal, parameters: Parameters) -> None:
        for mode in parameters:
            if mode in _KEPT_MODES:
                (terminal.modes.add if on else terminal.modes.discard)(mode)
            elif mode == 2 and on:
                for slot in range(4):
                    terminal.designate(slot, "B")
            elif mode == 6:
                terminal.origin = on
                terminal.place(0, 0)
            elif mode == 7:
                terminal.wrap = on
            elif mode in MOUSE_PROTOCOLS or mode in MOUSE_ENCODINGS:
                terminal.modes -= MOUSE_PROTOCOLS if mode in MOUSE_PROTOCOLS else MOUSE_ENCODINGS
                if on:
                    terminal.modes.add(mode)
            elif mode in (47, 1047, 1048, 1049):
                _switch_screen(terminal, mode, on=on)

    return act


def _switch_screen(terminal: Terminal, mode: int, *, on: bool) -> None:
    if on and mode >= 1048:
        terminal.save_cursor()
    if mode != 1048:
        if on:
            terminal.use_alternate()
        else:
            terminal.use_main()
    if not on and mode >= 1048:
        terminal.restore_cursor()


def _set_cursor_style(terminal: Terminal, parameters: Parameters) -> None:
    terminal.cursor_style = min(_at(parameters, 0), 6)


CSI: Final[dict[str, Control]] = {
    "@": _insert_characters,
    "A": _cursor_up,
    "B": _cursor_down,
    "C": lambda terminal, parameters: terminal.move(_count(parameters), 0),
    "D": lambda terminal, parameters: terminal.move(-_count(parameters), 0),
    "E": _cursor_next_line,
    "F": _cursor_previous_line,
    "G": lambda terminal, parameters: terminal.place(_count(parameters) - 1, _line(terminal)),
    "H": lambda terminal, parameters: terminal.place((_at(parameters, 1) or 1) - 1, _count(parameters) - 1),
    "I": lambda terminal, parameters: terminal.tab(_count(parameters)),
    "J": _erase_in_display,
    "?J": _erase_in_display,
    "K": _erase_in_line,
    "?K": _erase_in_line,
    "L": _edit_rows("insert"),
    "M": _edit_rows("delete"),
    "P": _delete_characters,
    "S": lambda terminal, parameters: terminal.grid.scroll_up(_count(parameters), terminal.erase_style),
    "T": lambda terminal, parameters: terminal.grid.scroll_down(_count(parameters), DEFAULT),
    "X": _erase_characters,
    "Z": lambda terminal, parameters: terminal.tab_back(_count(parameters)),
    "`": lambda terminal, parameters: terminal.place(_count(parameters) - 1, _line(terminal)),
    "a": lambda terminal, parameters: terminal.move(_count(parameters), 0),
    "b": lambda terminal, parameters: terminal.repeat(_count(parameters)),
    "d": lambda terminal, parameters: terminal.place(terminal.x, _count(parameters) - 1),
    "e": lambda terminal, parameters: terminal.move(0, _count(parameters)),
    "f": lambda terminal, parameters: terminal.place((_at(parameters, 1) or 1) - 1, _count(parameters) - 1),
    "g": _clear_tabs,
    "h": _set_ansi_mode(on=True),
    "l": _set_ansi_mode(on=False),
    "?h": _set_private_mode(on=True),
    "?l": _set_private_mode(on=False),
    "r": _set_region,
    "s": lambda terminal, _: terminal.save_cursor(),
    "u": lambda terminal, _: terminal.restore_cursor(),
    "!p": lambda terminal, _: terminal.soft_reset(),
    " q": _set_cursor_style,
    " @": _shift_columns(left=True, from_cursor=False),
    " A": _shift_columns(left=False, from_cursor=False),
    "'}": _shift_columns(left=False, from_cursor=True),
    "'~": _shift_columns(left=True, from_cursor=True),
}


def _alignment_pattern(terminal: Terminal) -> None:
    terminal.place(0, 0)
    for row in terminal.rows:
        row.own()
        row.cells[:] = "E" * terminal.columns
        row.styles[:] = [terminal.style] * terminal.columns
        row.wrapped = False


def _set_tab(terminal: Terminal) -> None:
    terminal.grid.tabs.add(min(terminal.x, terminal.columns - 1))


def _carriage_return(terminal: Terminal) -> None:
    terminal.x = 0


def _default_charset(terminal: Terminal) -> None:
    terminal.shift(0)
    terminal.designate(0, "B")


def _set_keypad(*, on: bool) -> Callable[[Terminal], None]:
    def act(terminal: Terminal) -> None:
        terminal.keypad = on

    return act


#: Escape sequences without parameters, by intermediates and final character.
ESCAPE: Final[dict[str, Callable[[Terminal], None]]] = {
    "7": Terminal.save_cursor,
    "8": Terminal.restore_cursor,
    "D": Terminal.index,
    "E": Terminal.next_line,
    "H": _set_tab,
    "M": Terminal.reverse_index,
    "c": Terminal.reset,
    "=": _set_keypad(on=True),
    ">": _set_keypad(on=False),
    "n": lambda terminal: terminal.shift(2),
    "o": lambda terminal: terminal.shift(3),
    "|": lambda terminal: terminal.shift(3),
    "}": lambda terminal: terminal.shift(2),
    "~": lambda terminal: terminal.shift(1),
    "#8": _alignment_pattern,
    "%@": _default_charset,
    "%G": _default_charset,
}
#: Intermediates that assign a character set to a slot.
CHARSET_SLOTS: Final = {"(": 0, ")": 1, "-": 1, "*": 2, ".": 2, "+": 3, "/": 3}

#: Single control characters.
SINGLE: Final[dict[str, Callable[[Terminal], None]]] = {
    "\b": Terminal.back_space,
    "\t": Terminal.tab,
    "\n": Terminal.line_feed,
    "\v": Terminal.line_feed,
    "\f": Terminal.line_feed,
    "\r": _carriage_return,
    "\x0e": lambda terminal: terminal.shift(1),
    "\x0f": lambda terminal: terminal.shift(0),
    "\x84": Terminal.index,
    "\x85": Terminal.next_line,
    "\x88": _set_tab,
}
