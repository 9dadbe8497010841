"""Limits of sign-ins with providers: hanging providers and locked addresses."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.external import Visitor, running_services, set_up, through_provider, visit_of
from peers.company_apps import Service
from postern.apps.authn.external.actions import visits
from postern.apps.authn.external.provider_slots import ProviderBusy, ProviderSlots
from postern.apps.authn.known_places import places
from postern.apps.authn.lock_out import guard
from postern.apps.authn.models import ExternalAccount, ExternalRequest, SignInGuard
from postern.apps.users.models import User
from postern.kernel import clock

HERE = "192.0.2.10"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]


@pytest.fixture
def services(as_admin: APIClient) -> Iterator[dict[str, Service]]:
    with running_services() as running:
        set_up(as_admin, running)
        yield running


def bind(user: User, services: dict[str, Service]) -> None:
    for name, service in services.items():
        person = service.person
        ExternalAccount.objects.create(
            user=user, provider=name, tenant=person.tenant, subject=person.subject, name=person.name
        )


@pytest.mark.django_db(transaction=True)
def test_users_of_other_providers_sign_in_while_one_provider_hangs(
    services: dict[str, Service], make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = ProviderSlots(max_total=3, max_per_provider=2, max_wait_s=0.05)
    monkeypatch.setattr(visits, "SLOTS", slots)
    monkeypatch.setattr("postern.apps.authn.external.providers.LIMIT_S", 3.0)
    bind(make_person("ann"), services)
    backs = []
    for _ in range(6):
        browser = Visitor()
        backs.append((browser, through_provider(services["wecom"], browser.start("wecom"))))
    other = Visitor()
    other_back = through_provider(services["feishu"], other.start("feishu"))
    services["wecom"].manner = "silent"

    def call_back(pair: tuple[Visitor, str]) -> None:
        try:
            pair[0].come_back(pair[1])
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(call_back, pair) for pair in backs]
        until = clock.monotonic_s() + 60
        while slots.used(("wecom", None)) < 2 and clock.monotonic_s() < until:
            time.sleep(0.01)
        assert other.use(visit_of(other.come_back(other_back))).status_code == 200
        assert not all(future.done() for future in waiting), "the hanging provider still hangs"
    codes = [(row.refusal or {})["code"] for row in ExternalRequest.objects.filter(provider="wecom")]
    assert sorted(codes) == ["external.busy"] * 4 + ["web_api.timeout"] * 2


def test_slots_are_released() -> None:
    slots = ProviderSlots(max_total=3, max_per_provider=2, max_wait_s=0.0)
    for _ in range(3):
        with slots.slot("a"), slots.slot("a"):
            with pytest.raises(ProviderBusy), slots.slot("a"):
                pass
            with slots.slot("b"), pytest.raises(ProviderBusy), slots.slot("c"):
                pass
        with pytest.raises(ZeroDivisionError), slots.slot("a"):
            raise ZeroDivisionError


@pytest.fixture
def locked(db: None) -> None:
    guard.reserve_address(HERE)
    SignInGuard.objects.update(date_locked_until=clock.now() + timedelta(minutes=10))


def test_locked_address_queries_no_provider(services: dict[str, Service], ann: User, locked: None) -> None:
    bind(ann, services)
    visitor = Visitor()
    visit = visitor.walk("feishu", services["feishu"])
    answer = visitor.use(visit)
    assert (answer.status_code, answer.json()["error"]) == (400, "external_failed")
    assert "锁定 10 分钟" in answer.json()["msg"]
    assert services["feishu"].asked == []
    SignInGuard.objects.update(date_locked_until=clock.now())
    assert visitor.sign_in_by("feishu", services["feishu"]).status_code == 200


def test_lock_does_not_apply_to_an_address_with_recent_sign_ins(
    services: dict[str, Service], ann: User, make_person: Callable[..., User], locked: None
) -> None:
    """The failures of one person do not lock out others at the address of a company."""
    bind(ann, services)
    places.remember_address(make_person("bob"), HERE)
    assert Visitor().sign_in_by("feishu", services["feishu"]).status_code == 200
    User.objects.filter(username="bob").update(session_epoch=9)  # voids the known place
    assert Visitor().sign_in_by("feishu", services["feishu"]).status_code == 200, "ann signs in from here too"
    User.objects.update(session_epoch=9)
    assert Visitor().sign_in_by("feishu", services["feishu"]).status_code == 400
