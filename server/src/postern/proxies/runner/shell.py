"""How a script gets into a shell on a host.

The command line is constant but for a nonce and two words, and is understood by every login shell (sh, csh, fish). The
shell that it starts answers with the nonce and its process id; what the host shows before that (a banner, the output of a
`~/.bashrc`) is no output of the script. Only then the script follows, on standard input: a device that is no shell, and
shows a menu instead, gets no script to take for keys. `read` takes the input byte by byte, so nothing behind the script
is lost. A script whose end does not arrive is not run.
"""

import re
from typing import Final

from postern.contracts.runner import Shell

#: Most bytes that a host may show before its shell answers.
MAX_NOISE_BYTES: Final = 64 * 1024
_MAX_PID_DIGITS: Final = 10

# $1 nonce, $2 number of lines, $3 what runs the script. SHLVL keeps bash from reading ~/.bashrc a second time.
_WRAPPER: Final = (
    'echo "$1 $$"; '
    'n=$(printf "\\nx"); n=${n%x}; s=; i=$2; '
    'while [ "$i" -gt 0 ] && IFS= read -r l; do s=$s$l$n; i=$((i-1)); done; '
    '[ "$i" = 0 ] || exit 3; '
    "SHLVL=1; export SHLVL; "
    'case $3 in login) exec "${SHELL:-/bin/sh}" -c "$s";; '
    'root) if [ "$(id -u)" != 0 ]; then s="echo $1 root; $s"; '
    'if sudo -n true 2>/dev/null; then exec sudo -n sh -c "$s"; fi; exec sudo -S -p "$1 password" sh -c "$s"; fi; '
    'echo "$1 root";; esac; '
    'exec sh -c "$s"'
)


def command_line(nonce: str, script: str, run_by: Shell) -> str:
    """The command that is requested from the host. `nonce` holds letters and digits only."""
    return f"exec sh -c '{_WRAPPER}' sh {nonce} {_lines(script)} {run_by.value}"


def script_bytes(script: str) -> bytes:
    """The script as the shell reads it from its standard input."""
    return script.rstrip("\n").encode() + b"\n"


def _lines(script: str) -> int:
    return script.rstrip("\n").count("\n") + 1


def kill_line(pid: int, signal: str) -> str:
    """A command that sends a signal (without SIG) to the process group of a shell, or to the shell if it leads none."""
    return f"exec sh -c 'kill -s {signal} -- -{pid} || kill -s {signal} {pid}' 2>/dev/null"


class Answer:
    """Finds the shell's answer in what the host shows."""

    def __init__(self, nonce: str) -> None:
        self._pattern = re.compile(rb"%s (\d{1,%d})\r?\n" % (nonce.encode(), _MAX_PID_DIGITS))
        self._shown = bytearray()

    def feed(self, data: bytes) -> tuple[int, bytes] | None:
        """Take output. When the answer is complete: the process id, and what was shown behind it."""
        self._shown += data
        match = self._pattern.search(self._shown)
        if match is None:
            return None
        return int(match[1]), bytes(self._shown[match.end() :])

    @property
    def is_hopeless(self) -> bool:
        """Whether too much was shown."""
        return len(self._shown) > MAX_NOISE_BYTES

    @property
    def shown(self) -> bytes:
        """What was shown so far."""
        return bytes(self._shown)
