# ruff: noqa: PLC0415 - the environment must be set before Django loads
"""A process that is killed in the middle of applying a plan: `plan_applier.py DATABASE < FILE`.

The settings are in its environment.
"""

import os
import signal
import sys
from typing import Any


def main(database: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django

    django.setup()
    from django.db import connection

    from postern.apps.perms import facade as perms
    from postern.apps.plans.applying import actions
    from postern.foundation.caller.actor import SYSTEM
    from postern.kernel.ids import DEFAULT_ORG_ID

    connection.settings_dict["NAME"] = database
    real = perms.create_permissions

    def create(**values: Any) -> None:
        real(**values)
        os.kill(os.getpid(), signal.SIGKILL)

    perms.create_permissions = create  # type: ignore[assignment]  # this process only: it dies in the middle
    actions.apply(actor=SYSTEM, org_id=DEFAULT_ORG_ID, checker=actions.read_wish(sys.stdin.read()))


if __name__ == "__main__":
    main(*sys.argv[1:])
