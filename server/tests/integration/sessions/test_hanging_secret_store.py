"""A proxy goes on while the store of secrets hangs: no lock waits for it, and nothing is released without its record."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future

import pytest
from django.db import transaction

from factories.at_once import Beside, other_threads
from factories.grants import make_domain, make_gateway
from factories.proxy_client import Proxy, World
from factories.secret_stores import secrets_in, vault_settings
from factories.store_use import PATIENCE_S, note_uses, wait_for_request, wait_for_use
from peers.vault_server import Vault, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import Session
from postern.apps.vault import facade
from postern.apps.vault.gateways.places import place_of as place_of_gateway
from postern.apps.vault.sealed_secrets.outside import read_outside
from postern.apps.vault.system_users import revealing
from postern.apps.vault.system_users.places import place_of
from postern.contracts.access import CredentialAnswer
from postern.contracts.enums import DenialCode
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.configuration.secret_store import SecretStore
from postern.kernel.secret import Secret

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def vault(world: World) -> Iterator[Vault]:
    """The store in which the secret of the system user lies."""
    made = Vault()
    with serving(made) as address, secrets_in(SecretStore.VAULT_KV2, vault_settings(address)):
        facade.put_secret(place_of(world.system_user, "password"), Secret("from the store"))
        made.asked.clear()
        yield made


@pytest.fixture
def opened(vault: Vault, opened: Session) -> Session:
    return opened


@pytest.fixture
def hanging(vault: Vault, opened: Session) -> threading.Event:
    """Set it, and the store answers again."""
    vault.hanging = threading.Event()
    return vault.hanging


@pytest.fixture
def beside() -> Iterator[Beside]:
    with other_threads() as start:
        yield start


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each read of the store: whether a transaction was open."""
    return note_uses(monkeypatch, "open")


@pytest.fixture
def releasing(
    proxy: Proxy, opened: Session, hanging: threading.Event, beside: Beside, reads: list[bool]
) -> "Future[CredentialAnswer]":
    """A release of the secret that waits for the store."""
    release: Future[CredentialAnswer] = beside(lambda: proxy.credential(opened.pk))
    wait_for_use(reads)
    return release


def told(event: str) -> int:
    return AuditEvent.objects.filter(event=event).count()


def test_another_request_of_the_proxy_is_answered_meanwhile(
    proxy: Proxy, releasing: "Future[CredentialAnswer]", hanging: threading.Event, beside: Beside, reads: list[bool]
) -> None:
    opened = Session.objects.get()
    beside(lambda: proxy.beat(opened.pk)).result(PATIENCE_S)
    assert not releasing.done()
    assert told("credential.released") == 0
    hanging.set()
    answer = releasing.result(PATIENCE_S)
    assert answer.credential is not None
    assert answer.credential.password == "from the store"
    assert (told("credential.released"), reads) == (1, [False])
    assert proxy.credential(opened.pk).credential is None


def test_permission_that_ends_while_the_store_is_asked_counts(
    world: World, releasing: "Future[CredentialAnswer]", hanging: threading.Event
) -> None:
    world.permission.delete()
    hanging.set()
    answer = releasing.result(PATIENCE_S)
    assert answer.credential is None
    assert (told("credential.released"), told("credential.refused")) == (0, 1)


def test_secret_that_is_replaced_while_the_store_is_asked_is_read_anew(
    world: World, releasing: "Future[CredentialAnswer]", hanging: threading.Event, reads: list[bool], vault: Vault
) -> None:
    wait_for_request(vault)
    vault.hanging = None  # for new requests; the first one still waits
    facade.put_secret(place_of(world.system_user, "password"), Secret("the new one"))
    hanging.set()
    answer = releasing.result(PATIENCE_S)
    assert answer.credential is not None
    assert answer.credential.password == "the new one"
    assert reads == [False, False]


def test_store_that_fails_is_a_recorded_refusal(proxy: Proxy, opened: Session, vault: Vault) -> None:
    vault.sealed = True
    answer = proxy.credential(opened.pk)
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.SECRET_STORE_UNAVAILABLE
    assert (told("credential.released"), told("credential.refused")) == (0, 1)


def test_store_is_not_asked_for_whoever_may_not_have_the_secret(
    proxy: Proxy, other_proxy: Proxy, opened: Session, world: World, reads: list[bool]
) -> None:
    assert other_proxy.credential(opened.pk).credential is None
    assert proxy.credential(opened.pk, opening_key="wrong").credential is None
    world.permission.delete()
    assert proxy.credential(opened.pk).credential is None
    assert reads == []


def test_secret_that_is_requested_concurrently_is_released_once(
    proxy: Proxy, opened: Session, hanging: threading.Event, beside: Beside, reads: list[bool]
) -> None:
    both = [beside(lambda: proxy.credential(opened.pk)) for _ in range(2)]
    wait_for_use(reads)
    hanging.set()
    answers: list[CredentialAnswer] = [one.result(PATIENCE_S) for one in both]
    assert len([answer for answer in answers if answer.credential is not None]) == 1
    assert told("credential.released") == 1


def test_secrets_of_gateways_and_those_that_are_shown_are_read_outside_of_transactions(
    proxy: Proxy, world: World, vault: Vault, reads: list[bool]
) -> None:
    domain = make_domain("zone", assets=[world.asset])
    gateway = make_gateway("gate", domain)
    facade.put_secret(place_of_gateway(gateway, "password"), Secret("of the gateway"))
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    released = proxy.gateway_credential(grant.session_id, gateway.pk).credential
    assert released is not None
    assert released.password == "of the gateway"
    assert revealing.reveal(actor=SYSTEM, system_user=world.system_user)["password"] == "from the store"
    assert reads
    assert not any(reads)
    assert told("systemuser.secrets_viewed") == 1


def test_work_inside_of_a_transaction_runs_as_it_is(world: World, vault: Vault, reads: list[bool]) -> None:
    with transaction.atomic():
        assert read_outside(lambda: facade.get_secret(place_of(world.system_user, "password"))) is not None
    assert reads == [True]
