"""`postern vault …`: the keys of stored secrets, and the store that they lie in."""

import argparse
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from postern.foundation.configuration.secret_store import SecretStore
from postern.foundation.settings import Settings

Add = Callable[[str, "Command"], argparse.ArgumentParser]
Command = Callable[[argparse.Namespace, Settings], int]

_MINUTES_A_DAY: Final = 24 * 60


def add_to(add: Add, load: Callable[[], None]) -> None:
    """Register the subcommands. `load` loads the control plane's apps into this process."""

    def rotate(arguments: argparse.Namespace, settings: Settings) -> int:
        """Create a new key-encryption key and rewrap every stored secret with it, without downtime."""
        load()
        from postern.apps.vault import facade as vault
        from postern.foundation.caller.actor import SYSTEM

        report = vault.rotate(actor=SYSTEM)
        print(f"key {report.version} is current; {report.rewrapped} secrets were rewrapped with it")
        return 0

    def retire(arguments: argparse.Namespace, settings: Settings) -> int:
        """Remove old key-encryption keys from the key file, if no secret needs them any more."""
        load()
        from postern.apps.vault import facade as vault
        from postern.foundation.caller.actor import SYSTEM

        removed = vault.retire(actor=SYSTEM)
        print(f"removed keys: {', '.join(map(str, removed)) or 'none'}")
        return 0

    def provider(arguments: argparse.Namespace, settings: Settings) -> int:
        """Show where secrets lie, and whether HashiCorp Vault can be used."""
        load()
        return _show_provider(settings)

    def move(arguments: argparse.Namespace, settings: Settings) -> int:
        """Move the secrets of targets to another store, while sessions read them. Run it again after a failure."""
        load()
        return _move(arguments)

    def rewrap(arguments: argparse.Namespace, settings: Settings) -> int:
        """Wrap the secrets in vault-transit with the newest version of Vault's key."""
        load()
        return _rewrap()

    def tidy(arguments: argparse.Namespace, settings: Settings) -> int:
        """Remove what moved, replaced and rolled back secrets left behind. Runs by itself, too."""
        load()
        return _tidy(arguments)

    add("rotate", rotate)
    add("retire", retire)
    add("provider", provider)
    add("move", move).add_argument(
        "--to", required=True, choices=[store.value for store in SecretStore], help="the store of POSTERN_SECRET_STORE"
    )
    add("rewrap", rewrap)
    add("tidy", tidy).add_argument(
        "--grace-minutes",
        type=int,
        default=7 * _MINUTES_A_DAY,
        help="remove only what has been unused for so long: 10 or more (default: 7 days)",
    )


def _show_provider(settings: Settings) -> int:
    from postern.apps.vault import facade as vault
    from postern.apps.vault.sealed_secrets import providers
    from postern.kernel.errors import Unavailable

    overview = vault.store_overview()
    print(f"new secrets of targets: {overview.for_new.value}")
    for store in SecretStore:
        print(f"secrets in {store.value}: {overview.counts.get(store, 0)}")
    print(f"still to move to {overview.for_new.value}: {overview.movable_elsewhere}")
    print(f"local copies of moved secrets, not yet removed: {overview.local_copies}")
    print(f"unused paths in Vault, not yet removed: {overview.unused_paths}")
    if settings.vault is None:
        return 0
    sign_in = "AppRole" if settings.vault.role_id else "token"
    print(f"Vault: {settings.vault.address}, {sign_in}, {settings.vault.timeout_s} s")
    try:
        state = providers.client().state()
        providers.client().check()
    except Unavailable as error:
        print(f"Vault cannot be used: {getattr(error, 'reason', error.message)}")
        return 1
    print(f"Vault can be used{f', version {state.version}' if state.version else ''}")
    return 0


def _move(arguments: argparse.Namespace) -> int:
    from postern.apps.vault import facade as vault
    from postern.foundation.caller.actor import SYSTEM

    report = vault.move(actor=SYSTEM, to=SecretStore(arguments.to))
    print(f"{report.moved} secrets were moved to {arguments.to}; {report.left} are still elsewhere")
    for name in report.unreadable:
        print(f"cannot be read, so it was not moved: {name}")
    return 1 if report.left else 0


def _rewrap() -> int:
    from postern.apps.vault import facade as vault
    from postern.foundation.caller.actor import SYSTEM

    report = vault.rewrap(actor=SYSTEM)
    print(f"{report.rewrapped} secrets were rewrapped; version {report.version} of Vault's key is the newest")
    for name in report.unreadable:
        print(f"Vault cannot decrypt it: {name}")
    return 1 if report.unreadable else 0


def _tidy(arguments: argparse.Namespace) -> int:
    from postern.apps.vault import facade as vault
    from postern.foundation.caller.actor import SYSTEM

    grace = timedelta(minutes=arguments.grace_minutes)
    if grace < vault.LEAST_GRACE:
        print("--grace-minutes must be 10 or more")
        return 2
    report = vault.tidy(actor=SYSTEM, grace=grace)
    print(
        f"removed: {report.copies} local copies, {report.removed} unused paths in Vault; "
        f"{report.waiting} unused paths wait for the end of their time"
    )
    return 0
