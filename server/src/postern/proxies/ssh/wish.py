"""The request of a client for a session channel, and whether the permitted actions allow it."""

from dataclasses import dataclass, replace
from typing import Final, NoReturn

from postern.contracts.enums import Actions, EndReason
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.texts import Text
from postern.proxies.ssh.classification import ExecKind, classify
from postern.proxies.ssh.detachers import carrier_in
from postern.proxies.ssh.relay import Inspector
from postern.proxies.ssh.rooted_command import Unclear, rooted
from postern.proxies.ssh.rsync.inspector import RsyncInspector
from postern.proxies.ssh.scp_inspector import ScpInspector
from postern.proxies.ssh.scp_places import ScpPlaces
from postern.proxies.ssh.sftp_inspector import SftpInspector
from postern.proxies.ssh.sftp_root import Outside, SftpRoot, is_whole_host
from postern.proxies.ssh.sftp_rooted_inspector import RootedSftpInspector

_MAX_CELLS: Final = 1000


@dataclass(frozen=True, kw_only=True)
class Wish:
    """The client's request for the channel: exactly one of shell (both None), command and subsystem."""

    command: bytes | None = None
    subsystem: str | None = None


def sane_size(columns: int, rows: int) -> tuple[int, int]:
    """Return a usable terminal size: 0 becomes the default, and large values are cut."""
    return min(columns or 80, _MAX_CELLS), min(rows or 24, _MAX_CELLS)


def below_root(session: LiveSession, wish: Wish) -> Wish:
    """Return the request with the paths of a file transfer below the system user's root. Raises `Refused`."""
    root = session.grant.sftp_root
    if wish.command is None or is_whole_host(root):
        return wish
    request = classify(wish.command)
    shown = {"home": "~", "tmp": "/tmp"}.get(root, root)  # noqa: S108 - the host's
    try:
        return replace(wish, command=rooted(wish.command, request, root))
    except Outside:
        _refuse(
            session,
            request.text,
            f"a path outside the SFTP root {shown}",
            Text.OUTSIDE_SFTP_ROOT.say(session.language, root=shown),
        )
    except Unclear:
        _refuse(
            session,
            request.text,
            f"a file transfer whose paths are uncertain, with the SFTP root {shown}",
            Text.UNCLEAR_PATHS.say(session.language, root=shown),
        )


def judge(session: LiveSession, wish: Wish, *, terminal: bool) -> tuple[str, Inspector | None]:
    """Return the kind of session and its inspector. Raises `Refused` if the action is not permitted."""
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


def _refuse_on_terminal(session: LiveSession, request_name: str, *, terminal: bool) -> None:
    """Refuse a transfer with a terminal. It would change the transfer's bytes, so they could not be parsed; no client
    needs one.
    """
    if terminal:
        _refuse(
            session, request_name, "a file transfer with a terminal", Text.TRANSFER_ON_TERMINAL.say(session.language)
        )


def _judge_sftp(session: LiveSession) -> tuple[str, Inspector | None]:
    """Permit the subsystem with either transfer right. The inspector judges each request."""
    _demand(session, (Actions.UPDOWNLOAD,), "sftp")
    root = session.grant.sftp_root
    return "sftp", SftpInspector(session) if is_whole_host(root) else RootedSftpInspector(session, SftpRoot(root))


def _refuse_carriers(session: LiveSession, command: bytes) -> None:
    """Refuse programs that would carry the shell outside the recording, regardless of the permission."""
    program = carrier_in(command)
    if program:
        message = Text.CARRIER_REFUSED.say(session.language, program=program)
        session.log.request_refused(program, "it would carry a shell outside the recording")
        session.end(EndReason.USER_CLOSED, f"refused: {program} would leave the recording", message=message)
        raise Refused(message)


def _demand(session: LiveSession, needed: tuple[Actions, ...], request_name: str) -> None:
    """Require the actions now and for the lifetime of the session; of each element any action suffices.

    Without them the session ends with a message to the user.
    """
    session.needs = needed
    for actions in needed:
        if not session.may(actions):
            _refuse(session, request_name, f"the permission lacks {actions.name}", session.refusal(actions))


def _refuse(session: LiveSession, request_name: str, why: str, message: str) -> NoReturn:
    session.log.request_refused(request_name[:64], why)
    session.end(EndReason.USER_CLOSED, f"refused: {why}", message=message)
    raise Refused(message)
