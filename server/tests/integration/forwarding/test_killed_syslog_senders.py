"""Processes that send the audit log are killed with -9 in between; every event arrives."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction

from peers import syslog_sender
from peers.rsyslog import receiving
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.preferences.actions import change_settings
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[[], "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    processes: list[subprocess.Popen[bytes]] = []

    def run() -> "subprocess.Popen[bytes]":
        arguments = [str(connection.settings_dict["NAME"]), str(settings.POSTERN.home), "2", "5"]
        processes.append(subprocess.Popen([sys.executable, str(Path(str(syslog_sender.__file__))), *arguments]))
        return processes[-1]

    yield run
    for process in processes:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()


def record(count: int) -> None:
    for number in range(count):
        audits.record(
            actor=SYSTEM,
            org_id=ROOT_ORG_ID,
            event=audits.Event.SIGN_IN_FAILED,
            object_type="LoginLog",
            new={"number": number},
        )


def test_every_event_arrives_although_senders_and_the_receiver_are_killed(start: Start) -> None:
    with receiving("tcp") as receiver:
        values = {"SYSLOG_HOST": "127.0.0.1", "SYSLOG_PORT": receiver.port, "SYSLOG_TRANSPORT": "tcp"}
        change_settings(actor=SYSTEM, changes={"SYSLOG_ENABLED": True, **values})
        first = start()
        second = start()
        for round_number in range(4):
            with transaction.atomic():
                record(40)
            until_s = clock.monotonic_s() + 60
            while len(receiver.messages()) < 20 * (round_number + 1):
                assert clock.monotonic_s() < until_s
                time.sleep(0.02)
            if round_number == 0:
                first.kill()
                first = start()
            if round_number == 1:
                second.kill()
                receiver.kill()
                time.sleep(0.5)
                receiver.start()

        def missing() -> set[str]:
            ids = {str(pk) for pk in AuditEvent.objects.filter(event="sign_in.failed").values_list("pk", flat=True)}
            return ids - {json.loads(one["msg"].lstrip("\ufeff"))["id"] for one in receiver.messages()}

        until_s = clock.monotonic_s() + 60
        while missing():
            assert clock.monotonic_s() < until_s, f"{len(missing())} events are missing"
            time.sleep(0.1)
