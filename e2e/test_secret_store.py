"""The secrets of targets lie in HashiCorp Vault (a stand-in), moved there while people connect; then Vault is sealed."""

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from product import POSTERN, Api, Product, wait_until
from test_ssh_story import run
from world import TargetHost, World, build_world

from peers.certificates import make_certificate
from peers.vault_server import ROLE_ID, SECRET_ID, Vault, serving


@pytest.fixture(scope="module")
def vault() -> Vault:
    return Vault()


@pytest.fixture(scope="module")
def stored(vault: Vault, host: TargetHost, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A product whose settings were changed to Vault after its secrets had been stored locally."""
    folder = tmp_path_factory.mktemp("stored")
    certificate = make_certificate(folder / "tls")
    with serving(vault, tls=certificate) as address:
        product = Product(folder / "home")
        product.start()
        try:
            world = build_world(product, folder, host)
        finally:
            product.stop()
        product._environ |= {
            "POSTERN_SECRET_STORE": "vault-kv2",
            "POSTERN_VAULT_ADDR": address,
            "POSTERN_VAULT_CA_FILE": str(certificate.authority),
            "POSTERN_VAULT_ROLE_ID": ROLE_ID,
            "POSTERN_VAULT_SECRET_ID": SECRET_ID,
            "POSTERN_VAULT_TIMEOUT": "10",
        }
        product.start()
        try:
            world.admin = product.api()
            yield world
        finally:
            product.stop()


def postern(world: World, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **world.product._environ}
    return subprocess.run(
        [str(POSTERN), *arguments], env=environ, capture_output=True, text=True, timeout=120, check=False
    )


def store_is_ok(world: World) -> bool:
    health: dict[str, Any] = Api(world.product.url).get("/api/health/")
    return bool(health["status"] and health["parts"]["secret_store"]["ok"])


def test_people_connect_while_secrets_move_and_are_told_when_vault_is_sealed(
    stored: World, vault: Vault, tmp_path: Path
) -> None:
    vault.slow_s = 0.05
    moved: list[subprocess.CompletedProcess[str]] = []
    moving = threading.Thread(target=lambda: moved.append(postern(stored, "vault", "move", "--to", "vault-kv2")))
    moving.start()
    connected = 0
    while moving.is_alive() or connected < 2:
        done = run(stored.ssh("echo in"))
        assert done.stdout == "in\n", done.stderr
        connected += 1
    moving.join()
    vault.slow_s = 0
    assert moved[0].returncode == 0, moved[0].stderr
    assert "0 are still elsewhere" in moved[0].stdout
    asked = len(vault.asked)
    assert run(stored.ssh("echo in")).stdout == "in\n"
    assert [entry.path for entry in vault.asked[asked:] if "/data/postern/" in entry.path], "it was not read in Vault"
    assert store_is_ok(stored)

    vault.sealed = True
    refused = run(stored.ssh("echo in"))
    assert refused.returncode != 0
    assert "The secret store cannot be reached, because it is sealed." in refused.stderr
    wait_until(lambda: not Api(stored.product.url).get("/api/health/")["parts"]["secret_store"]["ok"], message="health")
    assert Api(stored.product.url).get("/api/health/")["status"] is True
    assert stored.admin.get("/api/v1/assets/assets/?limit=1&offset=0")["count"]
    ended = stored.sessions()[0]
    assert "secret_store_unavailable" in str(ended), ended

    vault.sealed = False
    wait_until(lambda: run(stored.ssh("echo in")).stdout == "in\n", every_s=0.5, message="a session after unsealing")
    wait_until(lambda: store_is_ok(stored), message="health of the store")
    assert vault.faults == []
    log = stored.product.output()
    assert all(hidden not in log for hidden in (SECRET_ID, *(name for name in vault.tokens)))
    assert all(value not in log for value in vault.values())
