"""The modes in which a client requests a terminal (RFC 4254, section 8): names, and their meaning for a recording."""

from collections.abc import Mapping
from typing import Final

_ECHO: Final = 53
_NAMES: Final = {
    **dict(
        enumerate(
            ("VINTR", "VQUIT", "VERASE", "VKILL", "VEOF", "VEOL", "VEOL2", "VSTART", "VSTOP", "VSUSP", "VDSUSP",
             "VREPRINT", "VWERASE", "VLNEXT", "VFLUSH", "VSWTCH", "VSTATUS", "VDISCARD"),
            start=1,
        )
    ),
    **dict(
        enumerate(
            ("IGNPAR", "PARMRK", "INPCK", "ISTRIP", "INLCR", "IGNCR", "ICRNL", "IUCLC", "IXON", "IXANY", "IXOFF",
             "IMAXBEL", "IUTF8"),
            start=30,
        )
    ),
    **dict(
        enumerate(
            ("ISIG", "ICANON", "XCASE", "ECHO", "ECHOE", "ECHOK", "ECHONL", "NOFLSH", "TOSTOP", "IEXTEN", "ECHOCTL",
             "ECHOKE", "PENDIN"),
            start=50,
        )
    ),
    **dict(enumerate(("OPOST", "OLCUC", "ONLCR", "OCRNL", "ONOCR", "ONLRET"), start=70)),
    **dict(enumerate(("CS7", "CS8", "PARENB", "PARODD"), start=90)),
    128: "ISPEED",
    129: "OSPEED",
}  # fmt: skip


def hide_input(modes: Mapping[int, int]) -> bool:
    """Whether the client asked for a terminal without echo from the first key on.

    The modes are passed to the host unchanged. Line editors of shells also respect this mode and show no keys.
    """
    return modes.get(_ECHO) == 0


def describe(modes: Mapping[int, int]) -> str:
    """Return one line such as `ECHO=0 ICANON=1 …`, with the echo first."""
    order = sorted(modes, key=lambda mode: (mode != _ECHO, mode))
    return " ".join(f"{_NAMES.get(mode, mode)}={modes[mode]}" for mode in order)
