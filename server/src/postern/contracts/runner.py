"""The worker and its runner: what goes over the pipe between them.

The runner is a child process of the worker. It connects to hosts and runs programs there, and has neither Django, nor
the database, nor the key that opens secrets. It asks the worker for each secret when a host wants it, after the host's
key was judged.

A frame is its length in four bytes, big-endian, and one MessagePack value of `ToRunner` or `FromRunner`. `task` numbers
are chosen by the worker and never used twice. When the worker's end of the pipe closes, the runner ends.
"""

from enum import StrEnum
from typing import Final
from uuid import UUID

import msgspec

from postern.contracts.access import Credential, HostKeyAnswer, Target
from postern.contracts.routes import Route
from postern.kernel.sentences import NOTHING, Sentence

MAX_FRAME_BYTES: Final = 4 * 1024 * 1024
#: Most bytes of output in one frame.
OUTPUT_BYTES: Final = 64 * 1024


class HostLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one task. Times in seconds; `run_s` counts from the start of the program."""

    sign_in_s: float = 20.0
    #: How long the host may take to start a shell. A device that has none shows a menu or nothing.
    shell_s: float = 15.0
    run_s: float = 300.0
    #: Output beyond this ends the program. A task that may show more keeps the host's program running by asking for it.
    output_bytes: int = 1024 * 1024


DEFAULT_LIMITS: Final = HostLimits()


class Remote(StrEnum):
    """How the host is spoken to."""

    SSH = "ssh"
    #: WinRM over HTTP. Messages are sealed with the keys of an NTLM sign-in.
    WINRM = "winrm"
    #: WinRM over HTTPS. The key of the certificate is judged as an SSH host key is.
    WINRM_TLS = "winrm_tls"


class Shell(StrEnum):
    """What runs a script on the host."""

    #: `sh`, for scripts of Postern.
    POSIX = "posix"
    #: The account's login shell, for commands of people.
    LOGIN = "login"
    #: `sh` as root: through sudo if the account is not root.
    ROOT = "root"
    #: PowerShell on Windows, for scripts of Postern and commands of people.
    POWERSHELL = "powershell"


class RunOnHost(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """Sign in on a host and run a script there, without a terminal.

    The script is sent to a shell that has answered, never as a command line. `stdin` is sent to the script and then
    closed; it may hold secrets. Without a script the task ends after signing in, without a login name after the host key was
    judged.
    """

    task: int
    target: Target
    route: Route
    login_name: str
    over: Remote = Remote.SSH
    script: str = ""
    run_by: Shell = Shell.POSIX
    stdin: bytes = b""
    limits: HostLimits = DEFAULT_LIMITS
    #: Open a connection, and end: for hosts that speak none of these protocols.
    only_dial: bool = False
    language: str = "en"

    def __repr__(self) -> str:
        return f"RunOnHost({self.task})"


class StopTask(msgspec.Struct, frozen=True, kw_only=True, tag="stop"):
    """End the program of a task (TERM, then KILL, then the connection). It is answered with `TaskEnded`."""

    task: int


class HostKeyJudged(msgspec.Struct, frozen=True, kw_only=True, tag="judged"):
    """The answer to `JudgeHostKey`; None if it cannot be judged now."""

    question: int
    answer: HostKeyAnswer | None


class SecretGiven(msgspec.Struct, frozen=True, kw_only=True, tag="secret"):
    """The answer to `WantSecret`. `refusal` says why there is none, for people."""

    question: int
    credential: Credential | None = None
    refusal: Sentence = NOTHING

    def __repr__(self) -> str:
        return f"SecretGiven({self.question})"


ToRunner = RunOnHost | StopTask | HostKeyJudged | SecretGiven


class JudgeHostKey(msgspec.Struct, frozen=True, kw_only=True, tag="judge"):
    """A host, or the gateway with this id, presented its key: one line in OpenSSH format.

    `via` names the gateways that were passed on the way to it.
    """

    question: int
    task: int
    public_key: str
    gateway_id: UUID | None = None
    via: str = ""


class WantSecret(msgspec.Struct, frozen=True, kw_only=True, tag="want"):
    """A host, or the gateway with this id, wants a password or key."""

    question: int
    task: int
    gateway_id: UUID | None = None


class ProgramStarts(msgspec.Struct, frozen=True, kw_only=True, tag="starts"):
    """The script is about to be sent: from now on it may have an effect. `via` names the gateways on the way."""

    task: int
    via: str = ""


class HostOutput(msgspec.Struct, frozen=True, kw_only=True, tag="output"):
    """Output of a program, at most `OUTPUT_BYTES`."""

    task: int
    data: bytes
    is_error: bool = False


class HostResult(StrEnum):
    """How a task ended."""

    #: The program ended by itself, or the sign-in was all that was wanted.
    DONE = "done"
    UNREACHABLE = "unreachable"
    HOST_KEY_REFUSED = "host_key_refused"
    #: The host refused the account's secret, or there was none to give.
    CREDENTIAL_REFUSED = "credential_refused"
    #: Signed in, but no shell answered (a device without one, an account that may not log in).
    NO_SHELL = "no_shell"
    #: The account may not become root.
    ROOT_REFUSED = "root_refused"
    #: The host answers, but its port of WinRM is closed, or another service answers there.
    NO_WINRM = "no_winrm"
    #: What answers is not Windows.
    NOT_WINDOWS = "not_windows"
    #: Windows, but `powershell` did not start.
    NO_POWERSHELL = "no_powershell"
    #: It took longer than its limit and was ended.
    TIME_LIMIT = "time_limit"
    #: It showed more than its limit and was ended.
    OUTPUT_LIMIT = "output_limit"
    STOPPED = "stopped"
    #: Nothing was sent: the worker decided not to try.
    REFUSED = "refused"
    #: The connection was lost while the program ran: it may still run, or have ended.
    LOST = "lost"
    #: An error in the runner.
    FAULT = "fault"


class TaskEnded(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """The last frame of a task.

    `status` is the program's exit status or None; `signal` the signal that ended it, without SIG. `message` tells people
    why it failed, first in the task's language; `detail` is for the log. `is_told_only` says that the program was told to stop,
    but its end was not seen.
    """

    task: int
    result: HostResult
    status: int | None = None
    signal: str = ""
    message: Sentence = NOTHING
    detail: str = ""
    via: str = ""
    seconds: float = 0.0
    is_told_only: bool = False


FromRunner = JudgeHostKey | WantSecret | ProgramStarts | HostOutput | TaskEnded
