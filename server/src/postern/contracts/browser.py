"""The websocket protocol between browser and proxy: web terminal and live watching.

The browser connects to `/ws/proxy/<terminal id>/` on the public address; the web plane checks the sign-in and the
Origin, then forwards frames in both directions without reading them. Its own handshake with the proxy has the headers
`X-Postern-User` and `X-Postern-Remote-Addr`. Text frames are JSON (`ClientMessage`, `ServerMessage`), binary frames are
terminal bytes: keystrokes from the browser, output to the browser. The first frame is `open`, `open_files`, `resume` or
`watch`.
Tokens are never part of a URL, where logs would show them.

Output flow control: the browser counts output bytes, and sends `ack` with its running total after the terminal has
drawn them. The proxy stops reading from the target while more than `UNACKED_LIMIT` bytes are unacknowledged. After a
lost connection the browser sends `resume` with its total. The proxy continues from there, or sends `screen` first when
that position is no longer buffered. A session whose browser is disconnected for `RESUME_GRACE_S` ends.

Input flow control: input needs credit, so that a large paste never delays an `ack` or a `close`. A page with
`counts_input` counts the input bytes that it has sent since `opened`. It sends no input beyond the total `input_until`,
which `opened` states and `input_credit` raises as the target accepts input. `resumed` states in `input_received` how
many bytes have arrived over all connections, and the page continues from that byte, so that each byte arrives once. A
page that exceeds its credit by far gets `ended` with the reason `limit`. From a page that does not count its input, the
proxy reads only while it has buffer space. An older proxy sends neither the three fields nor `input_credit`; then the
page sends input without limits.
"""

from typing import Final
from uuid import UUID

import msgspec

PROXY_STREAM: Final = "/ws/proxy/{terminal_id}/"
USER_HEADER: Final = "X-Postern-User"
REMOTE_ADDR_HEADER: Final = "X-Postern-Remote-Addr"
LANGUAGE_HEADER: Final = "X-Postern-Language"
UNACKED_LIMIT: Final = 512 * 1024
RESUME_GRACE_S: Final = 60
MAX_FRAME_BYTES: Final = 1024 * 1024


class Open(msgspec.Struct, frozen=True, kw_only=True, tag="open"):
    """Open a session with a connection token. Sizes are in character cells."""

    token: str
    columns: int
    rows: int
    counts_input: bool = False  # the page respects `input_until`


class OpenFiles(msgspec.Struct, frozen=True, kw_only=True, tag="open_files"):
    """Open a session of the file manager with a connection token. Its files are reached over `contracts/files.py`; this
    link carries questions, notices and the end. It is resumed as a terminal is; sizes and totals do not count then.
    """

    token: str


class Resume(msgspec.Struct, frozen=True, kw_only=True, tag="resume"):
    session_id: UUID
    resume_secret: str
    received: int
    columns: int
    rows: int
    counts_input: bool = False


class Watch(msgspec.Struct, frozen=True, kw_only=True, tag="watch"):
    token: str


class Resize(msgspec.Struct, frozen=True, kw_only=True, tag="resize"):
    columns: int
    rows: int


class Ack(msgspec.Struct, frozen=True, kw_only=True, tag="ack"):
    received: int


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag="answer"):
    """Answer to a `prompt` (manual login mode)."""

    prompt_id: int
    value: str

    def __repr__(self) -> str:
        return f"Answer(prompt_id={self.prompt_id})"


class Ping(msgspec.Struct, frozen=True, kw_only=True, tag="ping"):
    t: float


class Close(msgspec.Struct, frozen=True, kw_only=True, tag="close"):
    """The person closed the terminal's tab: end the session."""


ClientMessage = Open | OpenFiles | Resume | Watch | Resize | Ack | Answer | Ping | Close


class State(msgspec.Struct, frozen=True, kw_only=True, tag="state"):
    """Progress while a session opens: `authorizing`, `connecting`, `authenticating`, `opening_shell`.

    `via` names the gateways that are being passed, from the proxy to the target.
    """

    state: str
    via: str = ""


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag="opened"):
    session_id: UUID
    resume_secret: str
    asset: str
    system_user: str
    login_name: str
    actions: int  # enums.Actions
    recorded: bool
    host_key: str  # fingerprint of the target
    idle_timeout_s: int
    input_until: int  # total of input bytes that the page may send, until `input_credit` raises it


class FilesOpened(msgspec.Struct, frozen=True, kw_only=True, tag="files_opened"):
    session_id: UUID
    resume_secret: str
    asset: str
    system_user: str
    login_name: str
    actions: int  # enums.Actions
    host_key: str  # fingerprint of the target
    idle_timeout_s: int


class Resumed(msgspec.Struct, frozen=True, kw_only=True, tag="resumed"):
    session_id: UUID
    resume_secret: str  # a new secret; the old one is no longer valid
    offset: int  # output total at which the next binary frame continues
    input_received: int  # total of input bytes that have arrived; the page continues from there
    input_until: int


class InputCredit(msgspec.Struct, frozen=True, kw_only=True, tag="input_credit"):
    """For pages that count their input. The latest message is valid."""

    taken: int  # total of input bytes that were recorded and forwarded to the target
    until: int  # total that the page may send


class Screen(msgspec.Struct, frozen=True, kw_only=True, tag="screen"):
    """The next binary frame redraws the whole screen. It does not count as output; the output count continues at
    `offset`.
    """

    columns: int
    rows: int
    offset: int


class Watching(msgspec.Struct, frozen=True, kw_only=True, tag="watching"):
    session_id: UUID
    user: str
    asset: str
    system_user: str


class Resized(msgspec.Struct, frozen=True, kw_only=True, tag="resized"):
    """For watchers: the new size of the person's terminal."""

    columns: int
    rows: int


class Prompt(msgspec.Struct, frozen=True, kw_only=True, tag="prompt"):
    prompt_id: int
    text: str
    echo: bool


class Notice(msgspec.Struct, frozen=True, kw_only=True, tag="notice"):
    """Information for the person; the session continues. `code`: actions, expiring, prolonged, shutdown, command (a
    command filter refused a line, or waits for a reviewer), lock (the session was locked or unlocked) or message (of an
    administrator).
    """

    code: str
    message: str
    actions: int | None = None  # what is permitted from now on (enums.Actions)


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """The last frame. `reason` is an `EndReason` or `DenialCode` value; `message` is in the person's language."""

    reason: str
    message: str
    exit_status: int | None = None


class Pong(msgspec.Struct, frozen=True, kw_only=True, tag="pong"):
    t: float


ServerMessage = (
    State | Opened | FilesOpened | Resumed | InputCredit | Screen | Watching | Resized | Prompt | Notice | Ended | Pong
)
