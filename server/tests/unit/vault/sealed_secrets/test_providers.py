"""The stores of secrets: the contract of all, and what only one of them can do wrong."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from factories.secret_stores import vault_settings
from peers.vault_server import Vault, serving
from postern.apps.vault.sealed_secrets.errors import SecretGone, SecretUnreadable
from postern.apps.vault.sealed_secrets.keyring import Keyring
from postern.apps.vault.sealed_secrets.local_provider import LocalSecrets
from postern.apps.vault.sealed_secrets.stored import SecretProvider
from postern.apps.vault.sealed_secrets.vault_kv2 import VaultDocuments
from postern.apps.vault.sealed_secrets.vault_transit import VaultTransit
from postern.foundation.network import outbound
from postern.integrations.hashicorp_vault.client import VaultClient
from postern.kernel.secret import Secret
from unit.vault.sealed_secrets.provider_contract import SecretProviderContract, make_place

FOLDER = "postern/one"


@pytest.fixture
def vault() -> Vault:
    return Vault()


@pytest.fixture
def client(vault: Vault) -> Iterator[VaultClient]:
    with serving(vault) as address:
        yield VaultClient(vault_settings(address), outbound.check_secret_store)
    assert vault.faults == []


@pytest.fixture
def documents(client: VaultClient) -> VaultDocuments:
    return VaultDocuments(client, lambda: FOLDER)


class TestLocalSecrets(SecretProviderContract):
    @pytest.fixture
    def provider(self, tmp_path: Path) -> SecretProvider:
        ring = Keyring(tmp_path / "kek.json")
        ring.create()
        return LocalSecrets(ring)


class TestVaultDocuments(SecretProviderContract):
    @pytest.fixture
    def provider(self, documents: VaultDocuments) -> SecretProvider:
        return documents


class TestVaultTransit(SecretProviderContract):
    @pytest.fixture
    def provider(self, client: VaultClient) -> SecretProvider:
        return VaultTransit(client)


def test_document_that_was_copied_to_another_path_is_not_used(documents: VaultDocuments, vault: Vault) -> None:
    mine, other = make_place(), make_place()
    stored, copied = documents.store(mine, Secret("mine")), documents.store(other, Secret("other"))
    vault.documents[stored.reference] = vault.documents[copied.reference]
    with pytest.raises(SecretUnreadable):
        documents.open(stored, mine)


def test_earlier_document_of_the_same_place_is_not_used_for_a_later_one(
    documents: VaultDocuments, vault: Vault
) -> None:
    place = make_place()
    earlier, later = documents.store(place, Secret("earlier")), documents.store(place, Secret("later"))
    vault.documents[later.reference] = vault.documents[earlier.reference]
    with pytest.raises(SecretUnreadable):
        documents.open(later, place)


@pytest.mark.parametrize("folder", ["postern/..", "./postern", "", "postern//one"])
def test_path_that_leads_elsewhere_is_not_asked_for(documents: VaultDocuments, vault: Vault, folder: str) -> None:
    place = make_place()
    stored = documents.store(place, Secret("mine"))
    before = len(vault.asked)
    name = stored.reference.rpartition("/")[2]
    with pytest.raises(SecretUnreadable):
        documents.open(replace(stored, reference=f"{folder}/vault_systemuser/{name}"), place)
    assert len(vault.asked) == before


@pytest.mark.parametrize("how", ["deleted", "removed"])
def test_secret_that_was_deleted_in_vault_is_reported_as_missing(
    documents: VaultDocuments, vault: Vault, how: str
) -> None:
    place = make_place()
    stored = documents.store(place, Secret("mine"))
    if how == "deleted":
        vault.delete_version(stored.reference)
    else:
        vault.documents.clear()
    with pytest.raises(SecretGone):
        documents.open(stored, place)


def test_newer_version_by_hand_does_not_change_the_secret(
    documents: VaultDocuments, client: VaultClient, vault: Vault
) -> None:
    place = make_place()
    stored = documents.store(place, Secret("mine"))
    version = vault.documents[stored.reference][0]
    vault.documents[stored.reference].append(type(version)(2, {"value": "by hand"}, version.created))
    assert documents.open(stored, place).reveal() == "mine"


def test_transit_never_gets_the_secret(client: VaultClient, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []
    encrypt = client.encrypt
    monkeypatch.setattr(client, "encrypt", lambda plain: (sent.append(plain), encrypt(plain))[1])
    VaultTransit(client).store(make_place(), Secret("canary-1c"))
    assert len(sent[0]) == 64
    assert b"canary" not in sent[0]
