"""Messages about terminals and sessions, for administrators."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from postern.apps.jobs.batch_commands.events import BatchCommandRefused
from postern.apps.notifications.declarations.categories import TERMINAL
from postern.apps.notifications.declarations.declaration import (
    Audience,
    MessageText,
    MessageType,
    Written,
    console_link,
    written,
)
from postern.apps.sessions.recordings.events import RecordingsNotCopied
from postern.apps.sessions.sessions.events import RecordingFailed
from postern.apps.sessions.terminals.events import TerminalLost, TerminalWaiting

_ID: Final = UUID("7c9e6679-7425-40de-944b-e07fc1f90ae7")

_LOST: Final = MessageType(
    "TerminalLostMessage", gettext_lazy("A terminal has stopped responding"), *TERMINAL, Audience.SUBSCRIBERS
)
_WAITING: Final = MessageType(
    "TerminalWaitingMessage", gettext_lazy("A terminal is waiting to be accepted"), *TERMINAL, Audience.SUBSCRIBERS
)
_RECORDING: Final = MessageType(
    "RecordingFailedMessage", gettext_lazy("A session could not be recorded"), *TERMINAL, Audience.SUBSCRIBERS
)
_NOT_COPIED: Final = MessageType(
    "RecordingsNotCopiedMessage",
    gettext_lazy("Recordings cannot be copied to their storage"),
    *TERMINAL,
    Audience.SUBSCRIBERS,
)
_COMMAND: Final = MessageType(
    "CommandAlertMessage", gettext_lazy("A dangerous command in a session"), *TERMINAL, Audience.SUBSCRIBERS
)
_EXECUTION: Final = MessageType(
    "CommandExecutionAlert", gettext_lazy("A dangerous batch command"), *TERMINAL, Audience.SUBSCRIBERS
)


def _of_lost_terminal(facts: TerminalLost) -> Written:
    return written(
        _("The terminal %(name)s is not responding"),
        _(
            "The terminal {name} has sent no heartbeat for too long. Its sessions are marked as interrupted. It "
            "will upload its recordings when it is back. Check its host and network."
        ),
        name=facts.name,
    )


TERMINAL_LOST: Final = MessageText(_LOST, _of_lost_terminal, (TerminalLost(_ID, "proxy-2"),))


def _of_waiting_terminal(facts: TerminalWaiting) -> Written:
    return written(
        _("The terminal %(name)s is waiting to be accepted"),
        _(
            "A terminal has registered as {name} from {address}. It has no access until a super administrator "
            "accepts it on the Terminals page. First compare its fingerprint, {fingerprint}, with the "
            "fingerprint in its own log."
        ),
        name=facts.name,
        address=facts.remote_addr,
        fingerprint=facts.fingerprint,
    )


TERMINAL_WAITING: Final = MessageText(
    _WAITING,
    _of_waiting_terminal,
    (TerminalWaiting(_ID, "proxy-2", "203.0.113.9", "9f1c-2b7e-44d0-8a35"),),
)


def _of_failed_recording(facts: RecordingFailed) -> Written:
    ended = _(
        "The session {session} of {user} was ended because it could not be recorded. Check the disk on the "
        "host of its proxy."
    )
    lost = _("The recording of the session {session} of {user} could not be recovered.")
    return written(
        _("The session %(session)s could not be recorded"),
        lost if facts.is_lost else ended,
        session=facts.session,
        user=facts.user,
    )


RECORDING_FAILED: Final = MessageText(
    _RECORDING,
    _of_failed_recording,
    tuple(RecordingFailed(_ID, _ID, "deploy@shop-1", "Li Na(li)", is_lost) for is_lost in (False, True)),
)


def _of_failing_copies(facts: RecordingsNotCopied) -> Written:
    return written(
        _("Recordings cannot be copied to the storage %(storage)s"),
        _(
            "Copies to the storage {storage} keep failing ({waiting} waiting). The recordings stay where they are and can be "
            "played; copying goes on when the storage can be used. The reason is shown for the storage:"
        ),
        "{link}",
        storage=facts.storage,
        waiting=facts.waiting,
        link=console_link("terminal/storages"),
    )


RECORDINGS_NOT_COPIED: Final = MessageText(
    _NOT_COPIED,
    _of_failing_copies,
    (RecordingsNotCopied(_ID, "archive", 12), RecordingsNotCopied(None, "default", 1)),
)


@dataclass(frozen=True, slots=True)
class DangerousCommand:
    """The first of `number` commands that one report of a session contained. `has_run`: nothing prevented it."""

    session_id: UUID
    session: str
    user: str
    command: str
    number: int
    has_run: bool


def _of_command(facts: DangerousCommand) -> Written:
    if facts.has_run:
        subject = _("A command of %(user)s ran without being judged")
        body = _(
            "In the session {session} of {user}, this ran although the command filters could not judge it: {command}. A "
            "key bound on the host, or a program, started it."
        )
    else:
        subject = _("A command of %(user)s was refused")
        body = _(
            "In the session {session}, {user} tried to run {command}. A command filter refused it; it did not run. "
            "Open the session to see what happened before and after."
        )
    more = ngettext("And {more} more command.", "And {more} more commands.", facts.number - 1)
    return written(
        subject,
        body,
        *([more] if facts.number > 1 else []),
        "{link}",
        session=facts.session,
        user=facts.user,
        command=facts.command,
        more=facts.number - 1,
        link=console_link(f"terminal/sessions/{facts.session_id}"),
    )


COMMAND_ALERT: Final = MessageText(
    _COMMAND,
    _of_command,
    (
        DangerousCommand(_ID, "deploy@shop-1", "Li Na(li)", "rm -rf /srv/shop <old", 1, has_run=False),
        DangerousCommand(_ID, "deploy@shop-1", "Li Na(li)", "systemctl stop shop", 3, has_run=False),
        DangerousCommand(_ID, "deploy@shop-1", "Li Na(li)", "shutdown -h now", 1, has_run=True),
    ),
)


def _of_execution(facts: BatchCommandRefused) -> Written:
    if facts.has_begun:
        body = _(
            "The batch command {command}, which {user} runs as {run_as}, is now refused by the command filters. It does "
            "not run on the hosts that are still waiting."
        )
    else:
        body = _(
            "{user} tried to run {command} as {run_as} on several hosts (number: {hosts}). The command filters refused it; "
            "it ran on none of them."
        )
    return written(
        _("A batch command of %(user)s was refused"),
        body,
        user=facts.user,
        command=facts.command,
        run_as=facts.run_as,
        hosts=facts.hosts_amount,
    )


EXECUTION_ALERT: Final = MessageText(
    _EXECUTION,
    _of_execution,
    tuple(
        BatchCommandRefused(
            org_id=_ID,
            user_id=_ID,
            user="Li Na(li)",
            run_as_id=_ID,
            run_as="deploy",
            command="rm -rf /srv/shop",
            hosts_amount=40,
            has_begun=has_begun,
        )
        for has_begun in (False, True)
    ),
)

TEXTS: Final = (
    TERMINAL_LOST,
    TERMINAL_WAITING,
    RECORDING_FAILED,
    RECORDINGS_NOT_COPIED,
    COMMAND_ALERT,
    EXECUTION_ALERT,
)
