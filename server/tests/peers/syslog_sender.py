# ruff: noqa: PLC0415 - the environment must be set before Django loads
"""A process that sends the audit log, for tests that kill it: `python syslog_sender.py DATABASE HOME HELD_S CHUNK`."""

import os
import sys
import time
from datetime import timedelta


def main(database: str, home: str, held_s: str, chunk: str) -> None:
    os.environ["POSTERN_HOME"] = home
    os.environ["POSTERN_ALLOW_LOCAL_TARGETS"] = "yes"
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django

    django.setup()
    from django.db import connection

    from postern.apps.forwarding.syslog import sending
    from postern.entrypoints.composition import compose

    compose()
    connection.settings_dict["NAME"] = database
    sending.HELD = timedelta(seconds=float(held_s))  # type: ignore[misc]  # a test need not wait for a minute
    sending.CHUNK = int(chunk)  # type: ignore[misc]  # so that there are many chunks between which it can be killed
    while True:
        sending.send_new_events()
        time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
