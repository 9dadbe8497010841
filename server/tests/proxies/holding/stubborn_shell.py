"""A shell that sometimes keeps its line at Ctrl-C, as bash does when the signal arrives while it handles a key.

`python stubborn_shell.py N` keeps the line N times, then drops it as usual. Each entered line is shown as `ran <line>`.
"""

import os
import sys
import tty

PROMPT = b"at> "
ON, OFF = b"\x1b[?2004h", b"\x1b[?2004l"


def main(keeps: int) -> None:
    """Read keys until Ctrl-D."""
    tty.setraw(0)
    line = b""
    os.write(1, ON + PROMPT)
    while (key := os.read(0, 1)) not in (b"", b"\x04"):
        if key == b"\x03" and line and keeps:
            keeps -= 1
            os.write(1, b"^C" + OFF + b"\r" + ON)
        elif key == b"\x03":
            line = b""
            os.write(1, b"^C" + OFF + b"\r\n" + ON + PROMPT)
        elif key == b"\r":
            shown = b"ran <" + line + b">\r\n" if line else b""
            line = b""
            os.write(1, b"\r\n" + OFF + shown + ON + PROMPT)
        else:
            line += key
            os.write(1, key)


main(int(sys.argv[1]))
