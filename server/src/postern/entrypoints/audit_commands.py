"""`postern audit …`: verifying the audit log, exporting evidence for others, and the key that signs both."""

import argparse
import os
import pwd
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from postern.foundation.settings import Settings

Add = Callable[[str, "Command"], argparse.ArgumentParser]
Command = Callable[[argparse.Namespace, Settings], int]

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?", re.ASCII)


def add_to(add: Add, load: Callable[[], None]) -> None:
    """Register the subcommands. `load` loads the control plane's apps into this process."""

    def verify(arguments: argparse.Namespace, settings: Settings) -> int:
        """Verify the audit log and the evidence it covers: detects edits, deletions, insertions and reordering."""
        load()
        from postern.apps.audits.facade import UNSIGNING, verify_log

        report = verify_log()
        for fault in report.faults:
            print(fault)
        for org_id in sorted({fault.org_id for fault in report.faults if fault.kind in UNSIGNING and fault.org_id}):
            print(f"the log of {org_id} gets no new signed checkpoint, because it is not what was written")
        print(f"{report.checked} records checked, {len(report.faults)} faults")
        return 1 if report.faults else 0

    def export(arguments: argparse.Namespace, settings: Settings) -> int:
        """Write an audit bundle, which others can verify without Postern and without a secret."""
        load()
        return _export(arguments)

    def key(arguments: argparse.Namespace, settings: Settings) -> int:
        """Print the public keys that have signed checkpoints and exports; `*` marks the current key."""
        load()
        return _show_keys()

    def rotate_key(arguments: argparse.Namespace, settings: Settings) -> int:
        """Sign with a new key from now on; what former keys have signed can still be verified."""
        load()
        return _rotate_key()

    add("verify", verify)
    exporting = add("export", export)
    exporting.add_argument("output", type=Path, metavar="OUTPUT.tar", help="must not exist")
    exporting.add_argument("--from", dest="begin", type=_begin, required=True, help="first day (UTC) or time, ISO 8601")
    exporting.add_argument("--to", dest="end", type=_end, required=True, help="last day (UTC) or time, ISO 8601")
    exporting.add_argument(
        "--org", action="append", default=[], metavar="NAME", help="organization, several times; default: all"
    )
    exporting.add_argument(
        "--session", action="append", default=[], type=UUID, metavar="ID", help="only these sessions, several times"
    )
    add("keys", key)
    add("rotate-key", rotate_key)


def _begin(text: str) -> datetime:
    """A moment, or the start of a day. Raises ArgumentTypeError."""
    return _moment(text, timedelta())


def _end(text: str) -> datetime:
    """A moment, or the end of a day. Raises ArgumentTypeError."""
    return _moment(text, timedelta(days=1))


def _moment(text: str, of_day: timedelta) -> datetime:
    """A moment; without a time zone in UTC. A day stands for the moment this long after its start."""
    is_day = _DAY.fullmatch(text)
    try:
        if not is_day and not _TIME.fullmatch(text):
            raise ValueError  # noqa: TRY301 - Python reads more forms, such as 20261130, which is no day to it
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment + of_day if is_day else moment
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is no day or time such as 2026-11-30 or 2026-11-30T08:00") from None


def _export(arguments: argparse.Namespace) -> int:
    from postern.apps.audits import facade as audits
    from postern.apps.orgs import facade as orgs
    from postern.apps.sessions.bundles.actions import Wanted, export

    if arguments.begin >= arguments.end:
        print("postern: --from must be before --to", file=sys.stderr)
        return 2
    org_ids = [orgs.find_scope(name).org_id for name in arguments.org] or list(audits.heads())
    wanted = Wanted(
        begin=arguments.begin,
        end=arguments.end,
        org_ids=tuple(sorted(set(org_ids))),
        session_ids=tuple(sorted(set(arguments.session))),
        operator=_operator(),
    )
    exported = export(wanted, arguments.output)
    for reason in exported.missing:
        print(f"missing recording of {reason}")
    for fault in exported.faults:
        print(f"not intact: {fault}")
    print(
        f"{exported.events} events, {exported.sessions} sessions and {exported.recordings} recordings "
        f"were written to {arguments.output}"
    )
    return 1 if exported.missing or exported.faults else 0


def _operator() -> str:
    """The account of the operating system that runs the command, and the one that it came from with sudo."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name  # variables of the environment can say anything
    except KeyError:
        name = ""
    former = os.environ.get("SUDO_USER", "")
    return f"{name} (uid {os.getuid()})" + (f", by sudo from {former}" if former else "")


def _show_keys() -> int:
    from postern.apps.audits.signing_key import SigningKey, trusted_keys

    present = SigningKey.current().key_id
    for name in trusted_keys().ids():
        public = trusted_keys().find(name) or b""
        print(f"{'*' if name == present else ' '} {name}  {public.hex()}")
    return 0


def _rotate_key() -> int:
    """Record the new key, then use it. A rotation that was killed is finished by the next one, with the same key."""
    from django.db import transaction

    from postern.apps.audits import facade as audits
    from postern.apps.audits.signing_key import SigningKey, present_id
    from postern.foundation.caller.actor import SYSTEM

    former, key = present_id(), SigningKey.next()
    with transaction.atomic():
        if not audits.statements((audits.Event.AUDIT_KEY_ROTATED,), [key.key_id]):
            audits.record(
                actor=SYSTEM,
                org_id=audits.ROOT_ORG_ID,
                event=audits.Event.AUDIT_KEY_ROTATED,
                action="update",
                object_type="AuditKey",
                object_id=key.key_id,
                object_name=key.key_id,
                old={"key_id": former or None},
                new={"key_id": key.key_id, "operator": _operator()},
            )
    key.install()
    print(f"former key: {former or 'none'}")
    print(f"the audit log is signed with key {key.key_id} from now on: {key.public.hex()}")
    return 0
