"""Settings of this process with a stand-in for HashiCorp Vault."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

from django.conf import settings

from peers.vault_server import ROOT_TOKEN
from postern.foundation.configuration.secret_store import SecretStore, VaultSettings


def vault_settings(address: str, *, timeout_s: int = 20, **more: str) -> VaultSettings:
    """How the stand-in at this address is reached."""
    environ = {
        "POSTERN_VAULT_ADDR": address,
        "POSTERN_VAULT_TOKEN": ROOT_TOKEN,
        "POSTERN_VAULT_TIMEOUT": str(timeout_s),
    }
    loaded = VaultSettings.load({**environ, **more}, SecretStore.LOCAL)
    assert loaded is not None
    return loaded


@contextmanager
def secrets_in(store: SecretStore, vault: VaultSettings | None) -> Iterator[None]:
    """Within the block, new secrets of targets go to this store, as after a restart with these settings."""
    with mock.patch.object(settings, "POSTERN", replace(settings.POSTERN, secret_store=store, vault=vault)):
        yield
