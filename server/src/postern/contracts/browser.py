"""The browser's websocket to a proxy: web terminal and live watching.

The browser connects to `/ws/proxy/<terminal id>/` on the public address; the web plane checks the sign-in and the
Origin, then carries frames both ways without reading them, adding `X-Postern-User` and `X-Postern-Remote-Addr` to
its own handshake with the proxy. Text frames are JSON (`ClientMessage`, `ServerMessage`), binary frames are terminal
bytes: keystrokes up, output down. The first frame is `open`, `resume` or `watch`. Tokens never travel in a URL (K45).

Flow: the browser counts output bytes. It sends `ack` with its running total after the terminal has drawn them; the
proxy stops reading from the target while more than `UNACKED_LIMIT` bytes are under way. After a lost connection the
browser sends `resume` with its total; the proxy goes on from there, or sends `screen` first when that is too far back.
A session whose browser is away for `RESUME_GRACE_S` ends.

Input has credit, so that a paste never stands in front of an `ack` or a `close`. A page that says `counts_input` counts the
bytes of input that it has sent since `opened`. It sends none beyond `input_until`, a total that `opened` states and
`input_credit` raises as the target takes input. `resumed` states in `input_received` how many bytes have arrived over all
connections: the page goes on from that byte, so that each byte arrives once. A page that sends far more than it may is
told `ended` with the reason `limit`. A page that does not count its input is read only while there is room for it. The
three fields and `input_credit` may be missing (an older proxy); then the page sends as it likes.
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
    """Open a session with a connection token. Sizes in cells."""

    token: str
    columns: int
    rows: int
    counts_input: bool = False  # the page keeps to `input_until`


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
    """The person closed the tab of the terminal: end the session."""


ClientMessage = Open | Resume | Watch | Resize | Ack | Answer | Ping | Close


class State(msgspec.Struct, frozen=True, kw_only=True, tag="state"):
    """Progress while opening: `authorizing`, `connecting`, `authenticating`, `opening_shell`."""

    state: str


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
    input_until: int  # total of input bytes that the page may send until `input_credit` raises it


class Resumed(msgspec.Struct, frozen=True, kw_only=True, tag="resumed"):
    session_id: UUID
    resume_secret: str  # a new one; the old one is spent
    offset: int  # output total from which the next binary frame goes on
    input_received: int  # total of input bytes that have arrived; the page goes on from there
    input_until: int


class InputCredit(msgspec.Struct, frozen=True, kw_only=True, tag="input_credit"):
    """To pages that count their input. The newest one counts."""

    taken: int  # total of input bytes that were recorded and passed on to the target
    until: int  # total that the page may send


class Screen(msgspec.Struct, frozen=True, kw_only=True, tag="screen"):
    """The next binary frame redraws the whole screen; count output from `offset` after it, not including it."""

    columns: int
    rows: int
    offset: int


class Watching(msgspec.Struct, frozen=True, kw_only=True, tag="watching"):
    session_id: UUID
    user: str
    asset: str
    system_user: str


class Resized(msgspec.Struct, frozen=True, kw_only=True, tag="resized"):
    """To watchers: the person's terminal has this size now."""

    columns: int
    rows: int


class Prompt(msgspec.Struct, frozen=True, kw_only=True, tag="prompt"):
    prompt_id: int
    text: str
    echo: bool


class Notice(msgspec.Struct, frozen=True, kw_only=True, tag="notice"):
    """Something the person should know; the session goes on. `code`: actions, expiring, prolonged or shutdown."""

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


ServerMessage = State | Opened | Resumed | InputCredit | Screen | Watching | Resized | Prompt | Notice | Ended | Pong
