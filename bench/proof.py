# ruff: noqa: E402 - the environment must be set before Django loads
"""Export and verification of an audit bundle with 1,000 sessions, each with a recording and 100 commands.

Goals: the stand-alone verifier needs at most 1 s for each 100 MB, and neither it nor the export grows in memory with
the size of the recordings. `--quick`: 100 sessions. `--kilobytes N`: the size of a recording (default: 1,000).
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]

from own_memory import Peak, own_mb

HOME = tempfile.TemporaryDirectory(prefix="postern-bench-")
os.environ |= {"POSTERN_HOME": HOME.name, "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings"}
os.environ.pop("DATABASE_URL", None)

import django

django.setup()

from django.core.management import call_command
from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.sessions.bundles.actions import Wanted, export
from postern.apps.sessions.commands.evidence import COMMANDS
from postern.apps.sessions.models import Command, Recording, Session
from postern.apps.sessions.sessions.actions import sealing
from postern.contracts.audit_bundle import bundle_verifier
from postern.contracts.recording.format import OUTPUT
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, new_id
from unit.contracts.recording.golden import KEY, write_recording

COMMANDS_EACH: Final = 100
GOAL_S: Final = 1.0
MEMORY_GOAL_MB: Final = 64.0
_PIECE: Final = 32_000
#: The verifier as it runs by itself. Tells its CPU time and the most memory that it had.
_VERIFY: Final = """
import atexit, resource, runpy, sys

def tell():
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:")).split()[1]
    sys.stderr.write(f"{{used.ru_utime + used.ru_stime}} {{int(most) / 1024}}")

atexit.register(tell)
sys.argv = {arguments!r}
runpy.run_path({verifier!r}, run_name="__main__")
"""


def store_session(number: int, content: bytes, sealed: dict[str, str]) -> None:
    """An ended session with commands, and a recording as the product stores it."""
    key = UUID(int=number)
    path = f"2026/11/28/{key}.postern"
    file = Path(HOME.name) / "replays" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    now = clock.now()
    with transaction.atomic():
        session = Session(
            pk=key, org_id=DEFAULT_ORG_ID, user_id=key, user="Ann(ann)", username="ann", asset_id=key, asset="db-01",
            system_user_id=key, system_user="root", kind="shell", date_start=now, date_end=now, state="ended",
            end_reason="user_closed",
        )  # fmt: skip
        rows = [
            Command(
                pk=new_id(), session=session, org_id=DEFAULT_ORG_ID, user=session.user, asset=session.asset, asset_id=key,
                system_user=session.system_user, kind="echo", input=f"ls {place}", output="a\nb\n" * 50, at=now,
            )
            for place in range(COMMANDS_EACH)
        ]  # fmt: skip
        sealing.chain(session, rows, COMMANDS)
        session.save(force_insert=True)
        Command.objects.bulk_create(rows)
        values = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "chain": sealed["chain"]}
        Recording.objects.create(
            session=session, state="sealed", key_id=KEY.key_id, path=path, date_stored=now, **values
        )
        audits.record(
            actor=SYSTEM, org_id=DEFAULT_ORG_ID, event=audits.Event.RECORDING_STORED, object_type="Session",
            object_id=str(key), new=values,
        )  # fmt: skip
        sealing.seal(session)


def recording(number: int, size: int) -> tuple[bytes, dict[str, str]]:
    """A sealed recording of about this size, which cannot be packed any smaller."""
    path = Path(HOME.name) / "made.postern"
    pieces = [os.urandom(_PIECE) for _ in range(max(size // _PIECE, 1))]
    steps = [(place, OUTPUT, piece) for place, piece in enumerate(pieces)]
    cuts = tuple(range(7, len(steps), 8))
    write_recording(path, steps, number=number, cut_after=cuts, screen=_NoScreen)
    content = path.read_bytes()
    start, index, length, _, _ = bundle_verifier.TRAILER.unpack(content[-bundle_verifier.TRAILER.size :])
    return content, json.loads(content[start + index : start + index + length])


class _NoScreen:
    """A screen that emulates nothing: the bench is not about terminals."""

    at_ground = True

    def __init__(self, columns: int, rows: int) -> None: ...

    def feed(self, data: bytes) -> None: ...

    def resize(self, columns: int, rows: int) -> None: ...

    def snapshot(self) -> bytes:
        return b""

    def pending(self) -> bytes:
        return b""


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="a tenth")
    options.add_argument("--kilobytes", type=int, default=1_000, help="the size of a recording")
    chosen = options.parse_args()
    count = 100 if chosen.quick else 1_000
    call_command("migrate", verbosity=0)
    (Path(HOME.name) / "secrets" / "recording_signing_key.pub").write_text(KEY.public.hex() + "\n")
    for number in range(1, count + 1):
        store_session(number, *recording(number, chosen.kilobytes * 1_000))
    output = Path(HOME.name) / "bundle.tar"
    now = clock.now()
    wanted = Wanted(begin=now - timedelta(days=1), end=now, org_ids=tuple(audits.heads()))
    before, peak, start = own_mb(), Peak(), time.monotonic()
    exported = export(wanted, output)
    export_s, growth = time.monotonic() - start, peak.end() - before
    megabytes = output.stat().st_size / 1_000_000
    print(f"{exported.sessions:,} sessions, {exported.recordings:,} recordings, {megabytes:,.0f} MB")
    print(
        f"export          {export_s:8.2f} s  {export_s / megabytes * 100:6.2f} s for 100 MB   grows by {growth:.0f} MB"
    )
    key = audits.SigningKey.current().public.hex()
    arguments = ["verify.py", str(output), "--audit-key", key, "--recording-key", KEY.public.hex()]
    code = _VERIFY.format(arguments=arguments, verifier=bundle_verifier.__file__)
    done = subprocess.run([sys.executable, "-I", "-c", code], env={}, capture_output=True, text=True, check=True)
    cpu_s, most = (float(word) for word in done.stderr.split())
    print(f"verify (CPU)    {cpu_s:8.2f} s  {cpu_s / megabytes * 100:6.2f} s for 100 MB   {most:.0f} MB in all")
    is_met = (
        cpu_s / megabytes * 100 <= GOAL_S and max(growth, most) <= MEMORY_GOAL_MB and done.stdout.endswith("PROVEN\n")
    )
    print("goals met" if is_met else "GOALS MISSED")
    return 0 if is_met or chosen.quick else 1


if __name__ == "__main__":
    sys.exit(main())
