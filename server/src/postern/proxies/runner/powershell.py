"""How a script gets into PowerShell on a Windows host.

The command line is constant, and is understood by cmd.exe and PowerShell alike: the default shell of the host does not
matter. It starts `bootstrap.ps1`, which answers with a word and its process id. Only then the script follows, on standard
input, and behind it the script's own input. A script whose end does not arrive is not run.

PowerShell reads standard input itself only if a command names its pipeline variable, so `bootstrap.ps1` must not.
"""

import base64
from importlib.resources import files
from typing import Final

#: The word with which the bootstrap answers. The encoded command line does not contain it, so an echo is no answer.
READY: Final = "POSTERN-READY"
_END: Final = "POSTERN-END"


def _command(name: str) -> str:
    script = files(__package__).joinpath(name).read_text("utf-8")
    lines = (line for line in script.splitlines() if line and not line.startswith("#"))
    encoded = base64.b64encode("\n".join(lines).encode("utf-16-le")).decode("ascii")
    return f"powershell -NoLogo -NoProfile -NonInteractive -OutputFormat Text -EncodedCommand {encoded}"


COMMAND: Final = _command("bootstrap.ps1")
#: Ends a program; the input is `end_input`.
END_COMMAND: Final = _command("end_program.ps1")
#: Says whether this is Windows, if its shell is cmd.exe.
WHO_COMMAND: Final = "echo %OS%"
WINDOWS: Final = b"Windows_NT"


def script_bytes(script: str) -> bytes:
    """The script as the bootstrap reads it from its standard input."""
    # PowerShell reads a carriage return alone as the end of a line, too.
    lines = script.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    return "\n".join((str(len(lines)), *lines, _END, "")).encode()


def end_input(pid: int) -> bytes:
    """The input of `END_COMMAND`."""
    return b"%d\n" % pid
