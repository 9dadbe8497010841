# ruff: noqa: PLC0415 - the environment must be set before Django loads
"""A process that sends due mail, for tests that kill it: `python mail_sender.py DATABASE HOME LEASE_S`."""

import os
import sys
import time
from datetime import timedelta


def main(database: str, home: str, lease_s: str) -> None:
    os.environ["POSTERN_HOME"] = home
    os.environ["POSTERN_ALLOW_LOCAL_TARGETS"] = "yes"
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django

    django.setup()
    from django.db import connection

    from postern.apps.notifications import deliveries, mailing

    connection.settings_dict["NAME"] = database
    deliveries.LEASE = timedelta(seconds=float(lease_s))  # type: ignore[misc]  # a test need not wait for minutes
    while True:
        mailing.send_due()
        time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
