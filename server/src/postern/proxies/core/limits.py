"""Protective limits of a proxy. Every queue is bounded and every wait has a name and an end."""

from dataclasses import dataclass, replace
from typing import Final

#: Files that are left for the journal, the outbox, recordings on their way, and requests to the control plane.
_OTHER_FILES: Final = 256
_FILES_OF_A_SESSION: Final = 2  # its target, and in a browser its link


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds that protect the proxy and its other sessions. Times in seconds, sizes in bytes."""

    # Before a person is known
    connections_total: int = 2000
    connections_unauthenticated: int = 500
    connections_per_source: int = 200
    unauthenticated_per_source: int = 30
    new_connections_per_source_per_s: int = 20
    login_timeout_s: float = 60.0
    auth_tries: int = 6
    public_keys: int = 20  # of one connection: agents offer all that they hold
    keys_per_source_per_s: int = 50
    keys_per_s: int = 150  # with ten seconds' worth at once less than the control plane answers a proxy in a minute

    # One connection, one session
    channels_per_connection: int = 10
    opening_s: float = 150.0  # longest time from permission to an open shell, prompts included
    connect_s: float = 10.0  # TCP connect to a target
    target_login_s: float = 30.0
    prompt_s: float = 60.0
    sessions: int = 2000
    input_window_bytes: int = 256 * 1024  # input that a browser page may send before the target has taken it
    input_excess_bytes: int = 1024 * 1024  # … and how much more is kept before the session ends

    # Watching
    watcher_queue_bytes: int = 1024 * 1024
    watchers_per_session: int = 16
    snapshot_s: float = 10.0

    # Control plane
    control_request_s: float = 15.0
    control_hold_s: float = 10.0  # how long people's calls wait for a control plane that is away
    control_held: int = 250
    control_held_per_source: int = 20
    control_answer_bytes: int = 4 * 1024 * 1024
    outbox_segment_bytes: int = 256 * 1024
    outbox_total_bytes: int = 1024 * 1024 * 1024

    # End
    drain_s: float = 60.0  # how long running sessions may go on after SIGTERM
    goodbye_s: float = 1.0  # how long an ending session may take to show its last words


def within_open_files(limits: Limits, open_files: int) -> Limits:
    """The same limits, with as many connections and sessions as a process can have that may hold so many files.

    A process without a free file can neither record nor report: then everybody's session would end, and not the one too many.
    """
    room = open_files - min(_OTHER_FILES, open_files // 2)
    wanted = limits.connections_total + _FILES_OF_A_SESSION * limits.sessions
    if wanted <= room:
        return limits
    return replace(
        limits,
        connections_total=limits.connections_total * room // wanted,
        sessions=limits.sessions * room // wanted,
    )
