"""Sessions to assets behind gateways, through the internal API."""

import base64
import os
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from factories.grants import grant, make_asset, make_domain, make_gateway, make_system_user
from factories.proxy_client import Proxy, World
from postern.apps.assets.models import Asset, Domain, HostKey
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import Session
from postern.apps.sessions.sessions.actions import release
from postern.apps.vault import facade as vault
from postern.apps.vault.models import Gateway
from postern.contracts import access, events
from postern.contracts.enums import DenialCode, HostKeyVerdict
from postern.kernel import clock


def host_key() -> str:
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + os.urandom(32)
    return f"ssh-ed25519 {base64.b64encode(blob).decode()}"


def names(route: Any) -> list[list[str]]:
    return [[gateway.name for gateway in stage] for stage in route.stages]


def seen(proxy: Proxy, session_id: UUID, key: str, **more: Any) -> access.HostKeySeen:
    values = {"host": "127.0.0.1", "port": 22, **more}
    opening_key = proxy.opening_key(session_id)
    return access.HostKeySeen(session_id=session_id, opening_key=opening_key, public_key=key, **values)


def show(proxy: Proxy, session_id: UUID, key: str, **more: Any) -> access.HostKeyAnswer:
    return proxy.ask(access.HOST_KEY, seen(proxy, session_id, key, **more), access.HostKeyAnswer)


def is_refused(proxy: Proxy, session_id: UUID, **more: Any) -> bool:
    message = seen(proxy, session_id, host_key(), **more)
    return proxy.post(access.HOST_KEY, msgspec.json.encode(message)).status_code == 400


@pytest.fixture
def branch(world: World) -> Domain:
    """The domain of web-1, with the gateway `gate-1`."""
    domain = make_domain("branch", assets=[world.asset])
    make_gateway("gate-1", domain, ip="127.0.0.2", port=2200)
    return domain


@pytest.fixture
def behind(proxy: Proxy, world: World, branch: Domain) -> access.SessionGrant:
    answer = proxy.authorize(world.user, "web-1")
    assert answer.grant is not None, answer.denial
    return answer.grant


# The route


@pytest.mark.spec("S1-018")
def test_grant_names_the_gateways_of_the_domain(behind: access.SessionGrant) -> None:
    gateway = Gateway.objects.get()
    assert names(behind.route) == [["gate-1"]]
    sent = behind.route.stages[0][0]
    assert (sent.id, sent.host, sent.port, sent.login_name) == (gateway.pk, "127.0.0.2", 2200, "forward")
    assert AuditEvent.objects.get(event="session.permitted").new["through"] == [["gate-1 (127.0.0.2:2200)"]]


def test_gateways_that_answered_come_first_then_by_name(branch: Domain, world: World) -> None:
    make_gateway("a-off", branch, is_active=False)
    make_gateway("b-gate", branch)
    make_gateway("a-gate", branch)
    Gateway.objects.filter(name="a-gate").update(is_connective=False)
    assert names(vault.route_to(branch.pk)) == [["b-gate", "gate-1", "a-gate"]]


def test_chain_begins_with_the_outermost_domain(branch: Domain) -> None:
    outer = make_domain("outer")
    make_gateway("outer-gate", outer)
    Domain.objects.filter(pk=branch.pk).update(reached_through=outer)
    assert names(vault.route_to(branch.pk)) == [["outer-gate"], ["gate-1"]]
    label = make_domain("label", through=branch)
    assert names(vault.route_to(label.pk)) == [["outer-gate"], ["gate-1"]]


def test_domain_without_gateways_is_a_label_and_with_inactive_ones_unreachable(
    proxy: Proxy, world: World, branch: Domain
) -> None:
    assert vault.route_to(None).stages == vault.route_to(make_domain("label").pk).stages == ()
    Gateway.objects.update(is_active=False)
    assert names(vault.route_to(branch.pk)) == [[]]
    answer = proxy.authorize(world.user, "web-1")
    assert answer.grant is not None
    assert answer.grant.route.stages == ((),)
    through_nothing = make_domain("inner", through=make_domain("no gateways yet"))
    assert names(vault.route_to(through_nothing.pk)) == [[]]


# Addresses


@pytest.mark.parametrize("ip", ["169.254.169.254", "metadata.google.internal", "127.0.0.1", "localhost", "0x7f000001"])
def test_k36_target_behind_a_gateway_is_refused_by_its_written_address(
    proxy: Proxy, world: World, branch: Domain, settings: Any, ip: str
) -> None:
    asset = make_asset("inner-1", ip=ip, domain=branch)
    grant(users=[world.user], assets=[asset], system_users=[world.system_user])
    Gateway.objects.update(ip="192.0.2.9")
    settings.POSTERN = replace(settings.POSTERN, allow_local_targets=False)
    answer = proxy.authorize(world.user, "inner-1")
    assert answer.grant is None
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.NO_PERMISSION


def test_name_of_a_target_behind_a_gateway_is_not_resolved_here(proxy: Proxy, world: World, branch: Domain) -> None:
    asset = make_asset("inner-1", ip="db.branch.internal.example", domain=branch)
    grant(users=[world.user], assets=[asset], system_users=[world.system_user])
    answer = proxy.authorize(world.user, "inner-1")
    assert answer.grant is not None
    assert answer.grant.target.host == "db.branch.internal.example"


def test_k36_gateway_at_a_refused_address_is_left_out(
    proxy: Proxy, world: World, branch: Domain, settings: Any
) -> None:
    Asset.objects.filter(pk=world.asset.pk).update(ip="192.0.2.30")
    settings.POSTERN = replace(settings.POSTERN, allow_local_targets=False)
    refused = proxy.authorize(world.user, "web-1")
    assert refused.denial is not None
    assert "gate-1" in refused.denial.message
    make_gateway("gate-2", branch, ip="192.0.2.9")
    answer = proxy.authorize(world.user, "web-1")
    assert answer.grant is not None
    assert names(answer.grant.route) == [["gate-2"]]


# Secrets of gateways


def test_secret_of_a_gateway_is_released_while_opening_and_again(proxy: Proxy, behind: access.SessionGrant) -> None:
    gateway = Gateway.objects.get()
    for _ in range(2):
        answer = proxy.gateway_credential(behind.session_id, gateway.pk)
        assert answer.credential is not None, answer.denial
        assert (answer.credential.login_name, answer.credential.password) == ("forward", "the secret of gate-1")
    records = AuditEvent.objects.filter(event="gateway.credential_released")
    assert [row.new["gateway"] for row in records] == ["gate-1"] * 2
    assert "the secret of gate-1" not in str([row.new for row in records])
    assert proxy.credential(behind.session_id).credential is not None


def code_of(answer: access.CredentialAnswer) -> DenialCode | None:
    return answer.denial.code if answer.denial else None


def test_secret_of_a_gateway_is_released_to_the_owner_of_the_session_only(
    proxy: Proxy, other_proxy: Proxy, behind: access.SessionGrant
) -> None:
    gateway_id = Gateway.objects.get().pk
    key = behind.opening_key
    assert (
        code_of(other_proxy.gateway_credential(behind.session_id, gateway_id, opening_key=key))
        is DenialCode.SESSION_UNKNOWN
    )
    assert (
        code_of(proxy.gateway_credential(behind.session_id, gateway_id, opening_key="x")) is DenialCode.SESSION_UNKNOWN
    )
    assert AuditEvent.objects.filter(event="credential.refused").count() == 2


@pytest.mark.parametrize("change", ["elsewhere", "inactive", "moved", "permission", "active", "unknown"])
def test_secret_of_a_gateway_is_not_released_when_it_is_not_on_the_way_any_more(
    proxy: Proxy, world: World, behind: access.SessionGrant, change: str
) -> None:
    gateway = Gateway.objects.get()
    wanted = gateway.pk
    match change:
        case "elsewhere":
            wanted = make_gateway("gate-9", make_domain("other")).pk
        case "inactive":
            Gateway.objects.update(is_active=False)
        case "moved":
            Asset.objects.update(domain=None)
        case "permission":
            world.permission.delete()
        case "active":
            proxy.start(behind.session_id)
        case _:
            wanted = uuid4()
    answer = proxy.gateway_credential(behind.session_id, wanted)
    assert answer.credential is None
    assert code_of(answer) is not None
    assert not AuditEvent.objects.filter(event="gateway.credential_released").exists()


def test_session_counts_once_in_the_limit_of_its_proxy(
    proxy: Proxy, world: World, behind: access.SessionGrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway_id = Gateway.objects.get().pk
    monkeypatch.setattr(release.queries, "credentials_a_minute", lambda: 1)
    for _ in range(3):
        assert proxy.gateway_credential(behind.session_id, gateway_id).credential is not None
    assert proxy.credential(behind.session_id).credential is not None
    other = proxy.authorize(world.user, "web-1").grant
    assert other is not None
    assert code_of(proxy.gateway_credential(other.session_id, gateway_id)) is DenialCode.PROXY_LIMITED
    assert code_of(proxy.credential(other.session_id)) is DenialCode.PROXY_LIMITED


def test_gateway_without_a_secret_is_named(proxy: Proxy, world: World, branch: Domain) -> None:
    poor = make_gateway("a-poor", branch, username="")
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    answer = proxy.gateway_credential(grant.session_id, poor.pk)
    assert code_of(answer) is DenialCode.CREDENTIAL_MISSING
    assert answer.denial is not None
    assert "a-poor" in answer.denial.message


# Host keys


def test_k52_keys_of_gateway_and_target_are_pinned_apart(proxy: Proxy, behind: access.SessionGrant) -> None:
    gateway_id, key, own = Gateway.objects.get().pk, host_key(), host_key()
    at_gateway = {"gateway_id": gateway_id, "port": 2200}
    assert show(proxy, behind.session_id, key, **at_gateway).verdict is HostKeyVerdict.PINNED
    assert show(proxy, behind.session_id, own, via="gate-1").verdict is HostKeyVerdict.PINNED
    assert show(proxy, behind.session_id, key, **at_gateway).verdict is HostKeyVerdict.MATCH
    # The key of the gateway is not accepted for the target, and the other way round.
    assert show(proxy, behind.session_id, key, via="gate-1").verdict is HostKeyVerdict.CHANGED
    changed = show(proxy, behind.session_id, own, **at_gateway)
    assert changed.verdict is HostKeyVerdict.CHANGED
    assert "gate-1" in changed.message
    pins = HostKey.objects.order_by("port").values_list("asset_id", "gateway_id", "host", "port", "via")
    assert list(pins) == [
        (behind.asset_id, None, "127.0.0.1", 22, "gate-1"),
        (None, gateway_id, "127.0.0.2", 2200, ""),
    ]


def test_k52_nothing_is_pinned_for_another_way_than_the_route(proxy: Proxy, behind: access.SessionGrant) -> None:
    session_id, gateway_id = behind.session_id, Gateway.objects.get().pk
    assert is_refused(proxy, session_id), "the target was dialled directly"
    assert is_refused(proxy, session_id, via="gate-1", port=23)
    assert is_refused(proxy, session_id, gateway_id=gateway_id, port=22)
    assert is_refused(proxy, session_id, gateway_id=gateway_id, port=2200, via="gate-9")
    assert is_refused(proxy, session_id, gateway_id=make_gateway("gate-9", make_domain("other")).pk)
    assert not HostKey.objects.exists()


def test_k52_direct_target_has_no_way(proxy: Proxy, opened: Session) -> None:
    assert is_refused(proxy, opened.pk, via="gate-1")


def test_gateway_that_was_passed_over_is_tried_last_until_it_answers(
    proxy: Proxy, branch: Domain, behind: access.SessionGrant
) -> None:
    second = make_gateway("gate-2", branch)
    show(proxy, behind.session_id, host_key(), gateway_id=second.pk)
    assert names(vault.route_to(branch.pk)) == [["gate-2", "gate-1"]]
    show(proxy, behind.session_id, host_key(), gateway_id=Gateway.objects.get(name="gate-1").pk, port=2200)
    assert names(vault.route_to(branch.pk)) == [["gate-1", "gate-2"]]


# The record of the session


def test_way_is_stored_with_the_session_and_part_of_its_evidence(
    proxy: Proxy, behind: access.SessionGrant, as_admin: Any
) -> None:
    at = clock.now()
    proxy.tell(events.SessionStarted(session_id=behind.session_id, at=at, kind="shell", via="gate-1"))
    proxy.tell(events.SessionStarted(session_id=behind.session_id, at=at, kind="shell", via="another"))
    assert Session.objects.get(pk=behind.session_id).via == "gate-1"
    assert as_admin.get(f"/api/v1/terminal/sessions/{behind.session_id}/").json()["via"] == "gate-1"
    assert AuditEvent.objects.get(event="session.started").new["via"] == "gate-1"


def test_system_user_of_another_asset_is_unaffected(proxy: Proxy, world: World, branch: Domain) -> None:
    other = make_asset("web-2", ip="127.0.0.1")
    grant(users=[world.user], assets=[other], system_users=[make_system_user("other root")])
    answer = proxy.authorize(world.user, "web-2")
    assert answer.grant is not None
    assert answer.grant.route.stages == ()
