"""Testing a gateway: signing in there and connecting through it, on the way that sessions take."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from peers.ports import free_port
from peers.sshd import Sshd
from postern.apps.assets.models import HostKey
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.gateway_tests import api as gateway_tests
from postern.apps.jobs.hosts.link import RunnerLink
from postern.apps.vault.models import Gateway

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def working(runner: RunnerLink, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(gateway_tests, "WAIT_S", 60.0)
    worker = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
    worker.start()
    yield
    worker.stop()


@pytest.fixture
def make_gateway(as_org_admin: APIClient) -> Callable[..., str]:
    def make(name: str, server: Sshd, **domain: Any) -> str:
        body = {"name": f"zone of {name}", **domain}
        zone = as_org_admin.post("/api/v1/assets/domains/", body, format="json").json()["id"]
        answer = as_org_admin.post(
            "/api/v1/assets/gateways/",
            {
                "name": name, "ip": "127.0.0.1", "port": server.port, "username": server.login, "domain": zone,
                "private_key": server.client_key.read_text(),
            },
            format="json",
        )  # fmt: skip
        assert answer.status_code == 201, answer.content
        return str(answer.json()["id"])

    return make


def answer_of_test(as_org_admin: APIClient, gateway: str, **body: Any) -> Any:
    path = f"/api/v1/assets/gateways/{gateway}/test-connective/"
    return as_org_admin.post(path, body, format="json", headers={"Accept-Language": "en"})


@pytest.mark.usefixtures("working")
def test_gateway_that_lets_connections_through_is_ok_and_its_key_is_pinned(
    as_org_admin: APIClient, hosts: Hosts, make_gateway: Callable[..., str]
) -> None:
    gateway = make_gateway("edge", hosts.start("edge"))
    Gateway.objects.update(is_connective=False)
    answer = answer_of_test(as_org_admin, gateway)
    assert (answer.status_code, answer.json()) == (200, "ok")
    assert HostKey.objects.filter(gateway_id=gateway).count() == 1
    assert Gateway.objects.get().is_connective


@pytest.mark.usefixtures("working")
def test_gateway_behind_another_is_tested_on_its_way(
    as_org_admin: APIClient, hosts: Hosts, make_gateway: Callable[..., str]
) -> None:
    outer = hosts.start("outer")
    zone = Gateway.objects.get(pk=make_gateway("outer", outer)).domain_id
    inner = make_gateway("inner", hosts.start("inner"), reached_through=str(zone))
    assert answer_of_test(as_org_admin, inner).status_code == 200
    assert "Accepted publickey" in outer.log


@pytest.mark.usefixtures("working")
def test_failures_say_why(as_org_admin: APIClient, hosts: Hosts, make_gateway: Callable[..., str]) -> None:
    closed = hosts.begin(Sshd(hosts.folder / "closed", extra="AllowTcpForwarding no"))
    gateway = make_gateway("closed", closed)
    answer = answer_of_test(as_org_admin, gateway)
    assert (answer.status_code, bool(answer.json()["error"])) == (400, True)
    assert not Gateway.objects.get().is_connective
    nothing = answer_of_test(as_org_admin, gateway, port=free_port())
    assert (nothing.status_code, bool(nothing.json()["error"])) == (400, True)
    assert answer_of_test(as_org_admin, gateway, port="x").json().keys() == {"port"}


def test_stranger_sees_no_gateway(as_user: APIClient, hosts: Hosts, make_gateway: Callable[..., str]) -> None:
    gateway = make_gateway("edge", hosts.start("edge"))
    assert answer_of_test(as_user, gateway).status_code in {403, 404}
