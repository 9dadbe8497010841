# ruff: noqa: PLC0415 - the environment must be set before Django loads
"""A process that moves secrets, for tests that kill it: `python secret_mover.py DATABASE STORE`.

The settings are in its environment. Batches are small, so that a kill comes between two of them or within one.
"""

import os
import sys


def main(database: str, store: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django

    django.setup()
    from django.db import connection

    from postern.apps.vault.sealed_secrets.actions import moving
    from postern.foundation.caller.actor import SYSTEM
    from postern.foundation.configuration.secret_store import SecretStore

    connection.settings_dict["NAME"] = database
    moving._BATCH = 7  # type: ignore[misc]
    moving.move(actor=SYSTEM, to=SecretStore(store))


if __name__ == "__main__":
    main(*sys.argv[1:])
