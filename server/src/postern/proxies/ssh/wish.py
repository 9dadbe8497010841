"""What a client wants of a session channel, and whether the permission's actions allow it."""

from dataclasses import dataclass
from typing import Final, NoReturn

from postern.contracts.enums import Actions, EndReason
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.texts import Text
from postern.proxies.ssh.classification import ExecKind, classify
from postern.proxies.ssh.detachers import carrier_in
from postern.proxies.ssh.relay import Inspector
from postern.proxies.ssh.rsync.inspector import RsyncInspector
from postern.proxies.ssh.scp_inspector import ScpInspector
from postern.proxies.ssh.scp_places import ScpPlaces
from postern.proxies.ssh.sftp_inspector import SftpInspector

_MAX_CELLS: Final = 1000


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the client asked the channel for: exactly one of shell (both None), command and subsystem."""

    command: bytes | None = None
    subsystem: str | None = None


def sane_size(columns: int, rows: int) -> tuple[int, int]:
    """A terminal size that can be used: 0 means the usual one, absurd ones are cut."""
    return min(columns or 80, _MAX_CELLS), min(rows or 24, _MAX_CELLS)


def judge(session: LiveSession, wish: Wish, *, terminal: bool) -> tuple[str, Inspector | None]:
    """The kind of session and what reads along. Raises `Refused` when the permission does not hold the action."""
    if wish.subsystem is not None:
        _refuse_on_terminal(session, "sftp", terminal=terminal)
        return _judge_sftp(session)
    if wish.command is None:
        _demand(session, (Actions.CONNECT,), "shell")
        return "shell", None
    _refuse_carriers(session, wish.command)
    request = classify(wish.command)
    if request.kind is not ExecKind.COMMAND:
        _refuse_on_terminal(session, request.text, terminal=terminal)
    if request.kind is ExecKind.SFTP:
        return _judge_sftp(session)
    if request.kind is ExecKind.UNCLEAR_TRANSFER:
        _refuse(
            session,
            request.text,
            "a file transfer of no certain direction",
            Text.UNCLEAR_TRANSFER.say(session.language),
        )
    _demand(session, request.needed, request.text)
    if request.kind in {ExecKind.SCP_UPLOAD, ExecKind.SCP_DOWNLOAD}:
        upload = request.kind is ExecKind.SCP_UPLOAD
        places = ScpPlaces(request.paths, upload=upload, is_into_folder=request.is_into_folder)
        return "scp", ScpInspector(session, places, upload=upload)
    if request.kind in {ExecKind.RSYNC_UPLOAD, ExecKind.RSYNC_DOWNLOAD}:
        return "rsync", RsyncInspector(session, wish.command)
    return "exec", None


def _refuse_on_terminal(session: LiveSession, what: str, *, terminal: bool) -> None:
    """A terminal changes the bytes of a transfer, so that nobody could read along; no client asks for one."""
    if terminal:
        _refuse(session, what, "a file transfer with a terminal", Text.TRANSFER_ON_TERMINAL.say(session.language))


def _judge_sftp(session: LiveSession) -> tuple[str, Inspector | None]:
    """Either transfer right opens the subsystem; the inspector judges each request."""
    _demand(session, (Actions.UPDOWNLOAD,), "sftp")
    return "sftp", SftpInspector(session)


def _refuse_carriers(session: LiveSession, command: bytes) -> None:
    """Programs that would take the shell elsewhere are not started, whatever the permission holds."""
    program = carrier_in(command)
    if program:
        message = Text.CARRIER_REFUSED.say(session.language, program=program)
        session.request_refused(program, "it would carry a shell outside the recording")
        session.end(EndReason.USER_CLOSED, f"refused: {program} would leave the recording", message=message)
        raise Refused(message)


def _demand(session: LiveSession, needed: tuple[Actions, ...], what: str) -> None:
    """Of each element any action must be permitted, now and for as long as the session lives; otherwise it ends, and the
    person is told.
    """
    session.needs = needed
    for actions in needed:
        if not session.may(actions):
            _refuse(session, what, f"the permission lacks {actions.name}", session.refusal(actions))


def _refuse(session: LiveSession, what: str, why: str, message: str) -> NoReturn:
    session.request_refused(what[:64], why)
    session.end(EndReason.USER_CLOSED, f"refused: {why}", message=message)
    raise Refused(message)
