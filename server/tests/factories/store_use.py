"""Notes each use of HashiCorp Vault, and waits for it."""

import time
from collections.abc import Callable
from typing import Any, Final, Literal

import pytest
from django.db import connection

from peers.vault_server import Vault
from postern.apps.vault.sealed_secrets.vault_kv2 import VaultDocuments
from postern.kernel import clock

PATIENCE_S: Final = 60


def note_uses(monkeypatch: pytest.MonkeyPatch, *kinds: Literal["open", "store"]) -> list[bool]:
    """For each use of the store, from now on: whether a transaction was open."""
    noted: list[bool] = []
    for kind in kinds:
        real = getattr(VaultDocuments, kind)

        def noting(self: VaultDocuments, *values: Any, _real: Any = real) -> Any:
            noted.append(connection.in_atomic_block)
            return _real(self, *values)

        monkeypatch.setattr(VaultDocuments, kind, noting)
    return noted


def wait_for_use(uses: list[bool]) -> None:
    """Wait until the store is used."""
    _wait(lambda: bool(uses))


def wait_for_request(vault: Vault) -> None:
    """Wait until a request hangs at the store: before, nothing holds it there."""
    _wait(lambda: bool(vault.hung))


def _wait(is_there: Callable[[], bool]) -> None:
    until = clock.monotonic_s() + PATIENCE_S
    while not is_there():
        assert clock.monotonic_s() < until
        time.sleep(0.02)
