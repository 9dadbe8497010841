"""Character attributes. A style is a plain tuple, so that rows can share and compare it cheaply."""

from typing import Final

#: (flags, foreground, background, underline colour). A colour is -1 (default), 0-255, or `RGB | 0xRRGGBB`.
Style = tuple[int, int, int, int]

DEFAULT: Final[Style] = (0, -1, -1, -1)
RGB: Final = 0x1000000

_UNDERLINE_SHIFT: Final = 8
_UNDERLINE_MASK: Final = 7 << _UNDERLINE_SHIFT
#: SGR number → flag, in both directions.
_FLAGS: Final = {1: 1, 2: 2, 3: 4, 5: 8, 7: 16, 8: 32, 9: 64, 53: 128}
_CLEARS: Final = {22: 1 | 2, 23: 4, 25: 8, 27: 16, 28: 32, 29: 64, 55: 128, 24: _UNDERLINE_MASK}
_MAX_PARAMETERS: Final = 32
_CACHE_SIZE: Final = 4096

_applied: dict[tuple[Style, str], Style] = {}
_written: dict[Style, str] = {}


def apply(style: Style, parameters: str) -> Style:
    """Return `style` after `CSI parameters m`. Cached, because programs repeat their sequences."""
    key = (style, parameters)
    result = _applied.get(key)
    if result is None:
        if len(_applied) >= _CACHE_SIZE:
            _applied.clear()
        result = _applied[key] = _apply(style, parameters)
    return result


def erased(style: Style) -> Style:
    """Return the style of a cell erased while `style` is active: only the background stays."""
    background = style[2]
    return DEFAULT if background == -1 else (0, -1, background, -1)


def to_sgr(style: Style) -> str:
    """Return the sequence that sets exactly this style."""
    sequence = _written.get(style)
    if sequence is None:
        if len(_written) >= _CACHE_SIZE:
            _written.clear()
        sequence = _written[style] = _write(style)
    return sequence


def _number(text: str) -> int:
    return int(text) if 0 < len(text) < 9 else 0


def _apply(style: Style, parameters: str) -> Style:  # noqa: C901, PLR0912 - one branch for each group of codes
    flags, foreground, background, line = style
    items = parameters.split(";", _MAX_PARAMETERS)[:_MAX_PARAMETERS]
    position = 0
    while position < len(items):
        code_text, _, sub = items[position].partition(":")
        code = _number(code_text)
        position += 1
        if code == 0:
            flags, foreground, background, line = DEFAULT
        elif code in _FLAGS:
            flags |= _FLAGS[code]
        elif code in (4, 21):
            kind = _number(sub) if sub else (2 if code == 21 else 1)
            flags = flags & ~_UNDERLINE_MASK | min(kind, 5) << _UNDERLINE_SHIFT
        elif code in _CLEARS:
            flags &= ~_CLEARS[code]
        elif 30 <= code <= 37 or 90 <= code <= 97:
            foreground = code - 30 if code < 90 else code - 82
        elif 40 <= code <= 47 or 100 <= code <= 107:
            background = code - 40 if code < 100 else code - 92
        elif code in (38, 48, 58):
            colour, used = _extended(sub, items[position:])
            position += used
            if colour is None:
                continue
            if code == 38:
                foreground = colour
            elif code == 48:
                background = colour
            else:
                line = colour
        elif code == 39:
            foreground = -1
        elif code == 49:
            background = -1
        elif code == 59:
            line = -1
    return (flags, foreground, background, line)


def _extended(sub: str, following: list[str]) -> tuple[int | None, int]:
    """Return a 256-colour or RGB value, and how many of the following parameters it used."""
    if sub:
        parts = [_number(part) for part in sub.split(":", 8)]
        if parts[0] == 2 and len(parts) > 4:
            parts = [2, *parts[2:5]]  # the colour space id in second place
        return _colour(parts), 0
    mode = _number(following[0]) if following else 0
    size = {2: 4, 5: 2}.get(mode, 1)
    return _colour([_number(part) for part in following[:size]]), size


def _colour(parts: list[int]) -> int | None:
    if parts[0] == 5:
        return parts[1] & 0xFF if len(parts) > 1 else 0
    if parts[0] == 2:
        red, green, blue = ([part & 0xFF for part in parts[1:]] + [0, 0, 0])[:3]  # missing parts are 0
        return RGB | red << 16 | green << 8 | blue
    return None


def _write(style: Style) -> str:
    flags, foreground, background, line = style
    codes = ["0"]
    codes += [str(code) for code, flag in _FLAGS.items() if flags & flag]
    kind = (flags & _UNDERLINE_MASK) >> _UNDERLINE_SHIFT
    if kind:
        codes.append("4" if kind == 1 else f"4:{kind}")
    for start, colour in ((30, foreground), (40, background), (50, line)):
        if colour == -1:
            continue
        if colour & RGB:
            codes.append(f"{start + 8};2;{colour >> 16 & 0xFF};{colour >> 8 & 0xFF};{colour & 0xFF}")
        elif start == 50 or colour > 15:
            codes.append(f"{start + 8};5;{colour}")
        else:
            codes.append(str(start + colour if colour < 8 else start + 52 + colour))
    return f"\x1b[{';'.join(codes)}m"
