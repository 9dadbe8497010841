"""Messages over WeCom, DingTalk and FeiShu: who gets them, and what happens when a service does not take them."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, cast
from unittest import mock
from uuid import uuid4

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from factories.external import NAMES, running_services, set_up
from peers.company_apps import Dingtalk, Feishu, Service, Wecom
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.external.models import ExternalAccount
from postern.apps.authn.lock_out.events import AccountUnlocked
from postern.apps.notifications import company_messages, deliveries, notices, own_notices
from postern.apps.notifications.actions import post_notice
from postern.apps.notifications.declarations.declaration import Notice, Written
from postern.apps.notifications.declarations.terminals import TERMINAL_LOST
from postern.apps.notifications.models import MessageDelivery
from postern.apps.preferences.actions import change_settings
from postern.apps.sessions.terminals.events import TerminalLost
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.web_apis.messages import MOST_BYTES, shortened
from postern.kernel import clock

pytestmark = pytest.mark.django_db

BACKENDS = "/api/v1/notifications/backends/"
DELIVERIES = "/api/v1/notifications/deliveries/"
SUBSCRIPTIONS = "/api/v1/notifications/system-msg-subscription/"
English = {"headers": {"Accept-Language": "en"}}


@pytest.fixture
def services(as_admin: APIClient) -> Iterator[dict[str, Service]]:
    cache.clear()
    with running_services() as running:
        set_up(as_admin, running)
        yield running
    cache.clear()


def bind(user: User, *names: str) -> User:
    for name in names or NAMES:
        tenant = "corp-1"
        ExternalAccount.objects.create(user=user, provider=name, tenant=tenant, subject=f"{name}-{user.username}")
    return user


def only(name: str) -> None:
    """Switch the other services off."""
    change_settings(actor=SYSTEM, changes={f"AUTH_{other.upper()}": other == name for other in NAMES})


def lose_terminal(name: str = "proxy-1") -> None:
    notices.on_terminal_lost(TerminalLost(terminal_id=uuid4(), name=name))


def states() -> dict[str, tuple[str, int]]:
    rows = MessageDelivery.objects.select_related("user")
    return {f"{row.channel} {row.user.username}": (row.state, row.tries) for row in rows}


def later(**delta: float) -> Any:
    return mock.patch.object(deliveries.clock, "now", return_value=clock.now() + timedelta(**delta))


def test_only_enabled_services_are_offered(services: dict[str, Service], as_admin: APIClient) -> None:
    assert as_admin.get(BACKENDS, **English).json() == [
        {"name": "site_msg", "name_display": "Site message"},
        {"name": "wecom", "name_display": "WeCom"},
        {"name": "dingtalk", "name_display": "DingTalk"},
        {"name": "feishu", "name_display": "FeiShu"},
    ]
    only("feishu")
    assert [row["name"] for row in as_admin.get(BACKENDS).json()] == ["site_msg", "feishu"]
    receiver = as_admin.get(SUBSCRIPTIONS).json()[0]["children"][0]["receivers"][0]
    assert (receiver["site_msg"], receiver["feishu"], "wecom" in receiver) == (True, True, False)


def test_message_arrives_at_the_bound_accounts_of_each_service(
    services: dict[str, Service], make_user: Callable[..., User]
) -> None:
    bind(make_user("amelie", role="Admin", language="en"))
    make_user("bare", role="Admin", language="en")
    lose_terminal("proxy <b>1</b> & Söhne")
    assert company_messages.send_due() == 3
    assert company_messages.send_due() == 0
    for name, service in services.items():
        ((subject, text),) = service.delivered
        assert subject == {"dingtalk": f"user-{name}-amelie"}.get(name, f"{name}-amelie")
        assert text.startswith(
            "The terminal proxy ＜b>1＜/b> & Söhne is not responding\n\nThe terminal proxy ＜b>1＜/b> &"
        )
        assert " UTC · http" in text.splitlines()[-1]
    assert states() == {f"{name} amelie": ("accepted", 1) for name in NAMES}, "who has not bound has no delivery"


def test_receivers_of_one_language_share_a_call_and_each_language_has_its_text(
    services: dict[str, Service], make_user: Callable[..., User]
) -> None:
    only("wecom")
    for name in ("ann", "bea", "cai"):
        bind(make_user(name, role="Admin", language="en"), "wecom")
    bind(make_user("zhang", role="Admin", language="zh-hans"), "wecom")
    lose_terminal()
    assert company_messages.send_due() == 4
    sends = services["wecom"].calls_to("/message/send")
    assert sorted(sorted(call.body["touser"].split("|")) for call in sends) == [
        ["wecom-ann", "wecom-bea", "wecom-cai"],
        ["wecom-zhang"],
    ]
    assert len({call.body["text"]["content"] for call in sends}) == 2


@pytest.mark.parametrize("chosen", [["wecom"], ["site_msg"]])
def test_chosen_methods_are_used_and_no_others(
    services: dict[str, Service], as_admin: APIClient, make_user: Callable[..., User], chosen: list[str]
) -> None:
    uma = bind(make_user("ulla"))
    answer = as_admin.patch(
        f"{SUBSCRIPTIONS}TerminalLostMessage/", {"users": [str(uma.pk)], "receive_backends": chosen}
    )
    assert answer.json()["receive_backends"] == chosen
    lose_terminal()
    company_messages.send_due()
    assert {name: len(service.delivered) for name, service in services.items()} == {
        name: int(name in chosen) for name in NAMES
    }


def test_personal_messages_use_bound_accounts_too(services: dict[str, Service], make_user: Callable[..., User]) -> None:
    uma = bind(make_user("ulla", language="en"), "feishu")
    own_notices.on_account_unlocked(AccountUnlocked(user_id=uma.pk, username="ulla", by="Adam(adam)", at=clock.now()))
    assert company_messages.send_due() == 1
    assert services["feishu"].delivered[0][1].startswith("Your account was unlocked")


def test_partial_failure_concerns_only_the_refused_receivers(
    services: dict[str, Service], as_admin: APIClient, make_user: Callable[..., User]
) -> None:
    for name in ("ann", "bea", "cai"):
        bind(make_user(name, role="Admin", language="en"))
    at_wecom, at_dingtalk = cast("Wecom", services["wecom"]), cast("Dingtalk", services["dingtalk"])
    at_wecom.unknown, at_wecom.unlicensed = {"wecom-bea"}, {"wecom-cai"}
    at_dingtalk.unknown, at_dingtalk.forbidden = {"dingtalk-bea"}, {"user-dingtalk-cai"}
    at_dingtalk.results_late = 1
    services["feishu"].unknown = {"feishu-bea"}
    lose_terminal()
    assert company_messages.send_due() == 4
    failed = MessageDelivery.objects.filter(state="failed").select_related("user")
    assert {(row.channel, row.user.username, row.reason["code"]) for row in failed} == {
        ("wecom", "bea", "wecom.no_receiver"),
        ("wecom", "cai", "wecom.unlicensed"),
        ("dingtalk", "bea", "dingtalk.no_receiver"),
        ("dingtalk", "cai", "dingtalk.not_delivered"),
        ("feishu", "bea", "feishu.out_of_range"),
    }
    shown = as_admin.get(f"{DELIVERIES}?state=failed&channel=dingtalk", **English).json()
    assert {row["channel_display"] for row in shown} == {"DingTalk"}
    assert any("is not visible to them" in row["reason"] for row in shown)
    assert AuditEvent.objects.filter(event="delivery.failed").count() == 5


def test_nobody_of_a_call_is_known(services: dict[str, Service], make_user: Callable[..., User]) -> None:
    only("wecom")
    bind(make_user("ann", role="Admin"), "wecom")
    services["wecom"].unknown = {"wecom-ann"}
    lose_terminal()
    assert company_messages.send_due() == 0
    assert states() == {"wecom ann": ("failed", 1)}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("manner", ["html", "error_html", "redirect", "huge", "lost", "silent", "drip"])
def test_misbehaving_service_is_tried_again_and_the_message_arrives_once(
    services: dict[str, Service],
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    manner: str,
) -> None:
    monkeypatch.setattr(company_messages, "LIMIT_S", 0.5)
    only(name)
    for username in ("ann", "bea"):
        bind(make_user(username, role="Admin", language="en"), name)
    lose_terminal()
    services[name].manner = manner
    assert company_messages.send_due() == 0
    assert not MessageDelivery.objects.filter(reason=None).exists(), "administrators see why it waits"
    assert not MessageDelivery.objects.exclude(state="waiting").exists()
    assert company_messages.send_due() == 0, "its pause is not over"
    services[name].manner = ""
    monkeypatch.setattr(company_messages, "LIMIT_S", 15.0)
    with later(minutes=2):
        assert company_messages.send_due() == 2
    assert len(services[name].delivered) == 2


@pytest.mark.parametrize("name", NAMES)
def test_lost_answer_is_repeated_so_that_the_service_drops_the_copy(
    services: dict[str, Service], make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(company_messages, "LIMIT_S", 1.0)
    only(name)
    bind(make_user("ann", role="Admin", language="en"), name)
    lose_terminal()
    service = services[name]
    service.before_answer = lambda: service.released.wait(2)
    assert company_messages.send_due() == 0
    assert len(service.delivered) == 1, "it has arrived, and nobody here knows"
    service.before_answer = lambda: None
    monkeypatch.setattr(company_messages, "LIMIT_S", 15.0)
    with later(minutes=2):
        assert company_messages.send_due() == 1
    assert len(service.delivered) == 1
    assert states() == {f"{name} ann": ("accepted", 2)}


@pytest.mark.parametrize("name", NAMES)
def test_expired_token_is_replaced(services: dict[str, Service], make_user: Callable[..., User], name: str) -> None:
    only(name)
    bind(make_user("ann", role="Admin", language="en"), name)
    lose_terminal("proxy-1")
    assert company_messages.send_due() == 1
    services[name].now_s += 8000
    lose_terminal("proxy-2")
    assert company_messages.send_due() == 1
    assert len(services[name].delivered) == 2


def test_bot_that_is_not_enabled_stops_the_run_with_its_reason(
    services: dict[str, Service], make_user: Callable[..., User]
) -> None:
    only("feishu")
    cast("Feishu", services["feishu"]).has_bot = False
    for username in ("ann", "bea"):
        bind(make_user(username, role="Admin"), "feishu")
    lose_terminal()
    assert company_messages.send_due() == 0
    assert len(services["feishu"].calls_to("/im/v1/messages")) == 1
    codes = {row.reason["code"] for row in MessageDelivery.objects.all()}
    assert codes == {"feishu.no_bot"}


def test_account_of_another_company_gets_nothing(services: dict[str, Service], make_user: Callable[..., User]) -> None:
    bind(make_user("ann", role="Admin"))
    lose_terminal()
    ExternalAccount.objects.update(tenant="corp-2")
    assert company_messages.send_due() == 0
    assert {service.delivered == [] for service in services.values()} == {True}
    assert {row.reason["code"] for row in MessageDelivery.objects.all()} == {"delivery.not_bound"}


def test_unbound_and_disabled_users_get_nothing(services: dict[str, Service], make_user: Callable[..., User]) -> None:
    only("wecom")
    for username in ("ann", "bea"):
        bind(make_user(username, role="Admin"), "wecom")
    lose_terminal()
    ExternalAccount.objects.filter(user__username="ann").delete()
    User.objects.filter(username="bea").update(is_active=False)
    assert company_messages.send_due() == 0
    reasons = dict(MessageDelivery.objects.values_list("user__username", "reason__code"))
    assert reasons == {"ann": "delivery.not_bound", "bea": "delivery.user_not_valid"}


def test_service_without_secret_waits_with_a_reason(
    services: dict[str, Service], make_user: Callable[..., User]
) -> None:
    only("wecom")
    bind(make_user("ann", role="Admin"), "wecom")
    change_settings(actor=SYSTEM, changes={"WECOM_SECRET": None})
    lose_terminal()
    assert company_messages.send_due() == 0
    row = MessageDelivery.objects.get()
    assert (row.state, row.reason["code"]) == ("waiting", "delivery.service_incomplete")


def test_switched_off_service_sends_nothing_and_the_message_ends_after_a_day(
    services: dict[str, Service], make_user: Callable[..., User]
) -> None:
    bind(make_user("ann", role="Admin"), "wecom")
    lose_terminal()
    only("feishu")
    assert company_messages.send_due() == 0
    with later(hours=25):
        deliveries.fail_late()
    assert MessageDelivery.objects.get().state == "failed"


def test_long_message_is_cut_between_characters(services: dict[str, Service], make_user: Callable[..., User]) -> None:
    only("dingtalk")
    bind(make_user("ann", role="Admin", language="zh-hans"), "dingtalk")
    text = Written("终端", f"<p>{'终端' * 700}</p>")
    post_notice(notice=Notice(TERMINAL_LOST.message_type, lambda: text), occasion="long")
    assert company_messages.send_due() == 1
    sent = services["dingtalk"].delivered[0][1]
    assert MOST_BYTES - 4 <= len(sent.encode()) <= MOST_BYTES
    assert "…\n\n20" in sent
    assert shortened("终端", 6) == "终端"


def test_failed_delivery_is_tried_again_on_request(
    services: dict[str, Service], as_admin: APIClient, make_user: Callable[..., User]
) -> None:
    only("feishu")
    bind(make_user("ann", role="Admin"), "feishu")
    services["feishu"].unknown = {"feishu-ann"}
    lose_terminal()
    company_messages.send_due()
    row = MessageDelivery.objects.get()
    services["feishu"].unknown = set()
    assert as_admin.post(f"{DELIVERIES}{row.pk}/retry/").status_code == 200
    assert company_messages.send_due() == 1


def test_the_secret_of_dingtalk_is_not_sent_to_another_address_for_messages(
    services: dict[str, Service], as_admin: APIClient
) -> None:
    answer = as_admin.patch(
        "/api/v1/settings/setting/?category=dingtalk", {"DINGTALK_MESSAGE_URL": "http://127.0.0.1:9/x"}
    )
    assert answer.status_code == 400
    assert "DINGTALK_APPSECRET" in answer.json()
