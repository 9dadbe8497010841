"""The `postern` command. Each subcommand is a small function that imports what it needs when it runs.

Imports are local so that each process loads only its own code: the supervisor loads neither Django nor the proxy.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from postern import API_LEVEL, __version__
from postern.entrypoints import (
    audit_commands,
    licence_commands,
    perms_commands,
    plan_commands,
    retention_commands,
    terminal_commands,
    user_commands,
    vault_commands,
)
from postern.entrypoints.supervisor import EXIT_CONFIG, follow_supervisor
from postern.foundation.machine.private_files import make_private
from postern.foundation.parts.part_board import SUPERVISOR_PID
from postern.foundation.settings import Settings
from postern.kernel import log
from postern.kernel.errors import PosternError, SettingsError
from postern.kernel.secret import Secret

Command = Callable[[argparse.Namespace, Settings], int]

DJANGO_SETTINGS: Final = "postern.foundation.django_settings"


def _django() -> None:
    """Load the control plane's apps into this process."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", DJANGO_SETTINGS)
    import django

    django.setup()
    from django.utils.translation import activate

    activate("en")  # the logs are in English, so the output of commands is, too


def _correct_rights(settings: Settings) -> None:
    """Correct the file modes of the data folder, unless `postern up` has done it for its services."""
    from postern.entrypoints.up import own_files
    from postern.foundation.machine.private_files import correct_rights

    if SUPERVISOR_PID not in os.environ:
        correct_rights(*own_files(settings))


def _require_secret_store(settings: Settings) -> None:
    """Refuse to start services that read secrets with settings that cannot work. Raises SettingsError."""
    if settings.vault is not None:
        settings.vault.require_usable()


def up(arguments: argparse.Namespace, settings: Settings) -> int:
    """Start all services and stay in the foreground."""
    from postern.entrypoints.up import run_all

    _require_secret_store(settings)
    log.configure("postern", settings.log_level)
    return asyncio.run(run_all(settings, reload=arguments.reload))


def demo(arguments: argparse.Namespace, settings: Settings) -> int:
    """Start all services with demo data, in a separate data folder."""
    from postern.entrypoints.demo import run_demo

    log.configure("postern", settings.log_level)
    return asyncio.run(run_demo(settings))


def web(arguments: argparse.Namespace, settings: Settings) -> int:
    """Serve the console, the API and the websockets."""
    from postern.entrypoints.web import serve

    log.configure("web", settings.log_level)
    _require_secret_store(settings)
    _correct_rights(settings)
    return serve(settings, reload=arguments.reload)


def worker(arguments: argparse.Namespace, settings: Settings) -> int:
    """Run background jobs; with --beat also the schedule."""
    log.configure("worker", settings.log_level)
    _require_secret_store(settings)
    _correct_rights(settings)
    from postern.entrypoints.celery import work

    return work(beat=arguments.beat)


def runner(arguments: argparse.Namespace, settings: Settings) -> int:
    """Connect to hosts for the jobs of a worker. Started by the worker, never by hand."""
    from postern.entrypoints.runner import serve

    log.configure("runner", settings.log_level)
    return serve(settings)


def monitor(arguments: argparse.Namespace, settings: Settings) -> int:
    """Serve the task monitor to the web part. Started by the web part, never by hand."""
    from postern.entrypoints.monitor import serve

    log.configure("monitor", settings.log_level)
    return serve(settings, idle_s=arguments.idle)


def proxy(arguments: argparse.Namespace, settings: Settings) -> int:
    """Run the proxy, which carries SSH and browser sessions."""
    from postern.entrypoints.proxy import serve

    log.configure("proxy", settings.log_level)
    _correct_rights(settings)
    return serve(settings)


def migrate(arguments: argparse.Namespace, settings: Settings) -> int:
    """Apply migrations and create the first administrator; a generated password is printed once."""
    _django()
    from django.core.management import call_command

    from postern.apps.audits.facade import make_keys
    from postern.apps.sessions.facade import make_registration_secrets
    from postern.apps.users.people.actions.first_admin import ensure_first_admin

    if arguments.admin_password_stdin:
        password = sys.stdin.read()
        settings = replace(settings, admin_password=Secret(password) if password else None)
    log.configure("migrate", settings.log_level)
    call_command("migrate", interactive=False, verbosity=0)
    make_keys()
    make_registration_secrets()
    first = ensure_first_admin(settings)
    made_up = first.made_up_password.reveal() if first.made_up_password is not None else None
    if arguments.json:
        print(json.dumps({"admin_password": made_up}))
    elif made_up:
        print(f"first administrator: {first.username}, password: {made_up} (shown once; it must be changed)")
    return 0


def recording_verify(arguments: argparse.Namespace, settings: Settings) -> int:
    """Verify that a recording is complete and unaltered since it was sealed."""
    from postern.proxies.core.recording.command_line import verify_recording

    return verify_recording(arguments.file, arguments.key, sys.stdout)


def recording_export(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write a recording as asciicast, or as text, to standard output."""
    from postern.proxies.core.recording.command_line import export_recording, export_text

    if arguments.text or arguments.times:
        return export_text(arguments.file, sys.stdout.buffer, sys.stderr, times=arguments.times)
    return export_recording(arguments.file, sys.stdout.buffer, sys.stderr, arguments.version)


def recording_input(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write the recorded standard input of a command without a terminal to standard output."""
    from postern.proxies.core.recording.command_line import export_input

    return export_input(arguments.file, sys.stdout.buffer, sys.stderr)


def recording_keys(arguments: argparse.Namespace, settings: Settings) -> int:
    """List the keys that recordings are sealed with; `*` marks the current key."""
    _django()
    from postern.entrypoints import recording_keys

    return recording_keys.show(settings)


def recording_rotate_key(arguments: argparse.Namespace, settings: Settings) -> int:
    """Seal recordings with a new key from now on; recordings sealed with former keys can still be verified."""
    _django()
    from postern.entrypoints import recording_keys

    return recording_keys.rotate(settings)


def django_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """Run a Django management command (makemigrations, shell …); for developers."""
    _django()
    from django.core.management import execute_from_command_line

    execute_from_command_line(["postern", *arguments.arguments])
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="postern", description="Privileged access platform.")
    parser.add_argument("--version", action="version", version=f"Postern {__version__} (API {API_LEVEL})")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(
        name: str, command: Command, to: "argparse._SubParsersAction[argparse.ArgumentParser]" = commands
    ) -> argparse.ArgumentParser:
        text = (command.__doc__ or "").strip()
        added = to.add_parser(name, help=text, description=text)
        added.set_defaults(run=command)
        return added

    add("up", up).add_argument("--reload", action="store_true", help="restart the web part when its code changes")
    add("demo", demo)
    add("web", web).add_argument("--reload", action="store_true", help="restart when the code changes")
    add("worker", worker).add_argument("--beat", action="store_true", help="also run the schedule (once in a cluster)")
    add("proxy", proxy)
    add("runner", runner)
    add("monitor", monitor).add_argument(
        "--idle", type=float, default=600.0, help="end after so many seconds without use"
    )
    migrating = add("migrate", migrate)
    migrating.add_argument("--json", action="store_true", help="print JSON")
    migrating.add_argument(
        "--admin-password-stdin",
        action="store_true",
        help="read the first administrator's password from standard input, not from POSTERN_ADMIN_PASSWORD",
    )
    audit = commands.add_parser("audit", help="The audit log.").add_subparsers(required=True, metavar="COMMAND")
    audit_commands.add_to(lambda name, command: add(name, command, audit), _django)
    vault = commands.add_parser("vault", help="Stored secrets: keys and store.").add_subparsers(
        required=True, metavar="COMMAND"
    )
    vault_commands.add_to(lambda name, command: add(name, command, vault), _django)
    licence = commands.add_parser("licence", help="Licences.").add_subparsers(required=True, metavar="COMMAND")
    licence_commands.add_to(lambda name, command: add(name, command, licence), _django)
    user = commands.add_parser("user", help="User accounts.").add_subparsers(required=True, metavar="COMMAND")
    user_commands.add_to(lambda name, command: add(name, command, user), _django)
    perms = commands.add_parser("perms", help="Permissions.").add_subparsers(required=True, metavar="COMMAND")
    perms_commands.add_to(lambda name, command: add(name, command, perms), _django)
    plan_commands.add_to(add, _django)
    terminal = commands.add_parser("terminal", help="Proxies and their credentials.").add_subparsers(
        required=True, metavar="COMMAND"
    )
    terminal_commands.add_to(lambda name, command: add(name, command, terminal), _django)
    retention = commands.add_parser("retention", help="Retention of sessions.").add_subparsers(
        required=True, metavar="COMMAND"
    )
    retention_commands.add_to(lambda name, command: add(name, command, retention), _django)
    recording = commands.add_parser("recording", help="Recordings.").add_subparsers(required=True, metavar="COMMAND")
    check = add("verify", recording_verify, recording)
    check.add_argument("file", type=Path)
    check.add_argument(
        "--key",
        required=True,
        help="the trusted Ed25519 public key (64 hex digits, base64 or PEM), or a folder of secrets with several",
    )
    export = add("export", recording_export, recording)
    export.add_argument("file", type=Path)
    export.add_argument("--version", type=int, choices=(2, 3), default=2, help="version of asciicast")
    export.add_argument("--text", action="store_true", help="the lines that were on the screen instead")
    export.add_argument("--times", action="store_true", help="the text, and before each line when it began")
    add("input", recording_input, recording).add_argument("file", type=Path)
    add("keys", recording_keys, recording)
    add("rotate-key", recording_rotate_key, recording)
    add("django", django_command).add_argument("arguments", nargs=argparse.REMAINDER)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status. Expected errors are printed as one line on standard error."""
    follow_supervisor()
    make_private()
    parsed = _parser().parse_args(arguments)
    try:
        settings = Settings.load(os.environ)
        status: int = parsed.run(parsed, settings)
    except SettingsError as error:
        print(f"postern: {error.message}", file=sys.stderr)
        return EXIT_CONFIG
    except PosternError as error:
        reason = getattr(error, "reason", "")  # output for operators only
        print(f"postern: {error.message}{f' ({reason})' if reason else ''}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status
