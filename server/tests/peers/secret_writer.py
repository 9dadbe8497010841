# ruff: noqa: PLC0415 - the environment must be set before Django loads
"""A process that is killed between the write of a secret in Vault and that of its row: `secret_writer.py DATABASE ID`.

It changes the password of a system user. The settings are in its environment.
"""

import os
import signal
import sys
from typing import Any


def main(database: str, system_user_id: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django

    django.setup()
    from django.db import connection

    from postern.apps.vault.models import SystemUser
    from postern.apps.vault.sealed_secrets.outside import write_outside
    from postern.apps.vault.sealed_secrets.vault_kv2 import VaultDocuments
    from postern.apps.vault.system_users.actions import update_system_user
    from postern.entrypoints import composition
    from postern.foundation.caller.actor import SYSTEM

    del composition
    connection.settings_dict["NAME"] = database
    real = VaultDocuments.store

    def store(self: VaultDocuments, *values: Any) -> Any:
        real(self, *values)
        os.kill(os.getpid(), signal.SIGKILL)

    VaultDocuments.store = store  # type: ignore[method-assign]  # this process only: it dies once the store has the secret
    row = SystemUser.objects.get(pk=system_user_id)
    write_outside(lambda: update_system_user(actor=SYSTEM, system_user=row, values={"password": "never named"}))


if __name__ == "__main__":
    main(*sys.argv[1:])
