"""The setting of the ways of signing in and their order, on the sign-in page and on every way in."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.external import Visitor, running_services, set_up
from factories.second_factor import App
from factories.soft_authenticator import ORIGIN, enrolled
from factories.ssh_proof import PROXY_ID
from factories.two_administrators import first_admin
from peers.company_apps import Service
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import facade
from postern.apps.authn.errors import console_address
from postern.apps.authn.models import ExternalAccount, ExternalRequest, LoginSession
from postern.apps.preferences import environment
from postern.apps.preferences.actions import change_settings
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import User
from postern.contracts.enums import DenialCode, LoginFrom
from postern.entrypoints import user_commands
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.errors import SettingsError
from postern.kernel.secret import Secret

FORM = "/api/v1/settings/setting/?category=security"
API = "/api/v1/authentication/"
NAME = "SECURITY_SIGN_IN_WAYS"
ALL = ["password", "ldap", "passkey", "openid", "saml", "wecom", "dingtalk", "feishu"]
__all__ = ["first_admin"]
pytestmark = pytest.mark.django_db


def leave(*ways: str) -> None:
    PreferenceValue.objects.update_or_create(name=NAME, defaults={"value": ",".join(ways)})


def without(*closed: str) -> None:
    leave(*[way for way in ALL if way not in closed])


@pytest.fixture
def services(as_admin: APIClient) -> Iterator[dict[str, Service]]:
    with running_services() as running:
        set_up(as_admin, running)
        yield running


def public(client: Any) -> list[str]:
    ways: list[str] = client.get("/api/v1/settings/public/").json()["data"][NAME]
    return ways


def test_order_of_the_ways_is_public(as_admin: APIClient, as_anonymous: APIClient) -> None:
    assert as_admin.get(FORM).json()[NAME] == ALL == public(as_anonymous)
    answer = as_admin.patch(FORM, {NAME: ["openid", "password"]}, format="json")
    assert (answer.status_code, answer.json()[NAME]) == (200, ["openid", "password"])
    assert public(as_anonymous) == ["openid", "password"]
    record = AuditEvent.objects.get(event="settings.updated")
    assert (record.old[NAME], record.new[NAME]) == (",".join(ALL), "openid,password")
    undone = as_admin.post("/api/v1/settings/setting/undo/", {"record": str(record.pk)})
    assert undone.json()[NAME] == ALL
    meta = as_admin.options(FORM).json()["actions"]["PUT"][NAME]
    assert [choice["value"] for choice in meta["child"]["choices"]] == ALL


@pytest.mark.parametrize(
    "value", [[], "", ["password", "password"], ["nothing"], [["password"]], {"password": 1}, None, 7, "password,x"]
)
def test_invalid_orders_are_refused(as_admin: APIClient, value: Any) -> None:
    answer = as_admin.patch(FORM, {NAME: value}, format="json")
    assert (answer.status_code, set(answer.json())) == (400, {NAME})
    assert not PreferenceValue.objects.filter(name=NAME).exists()


def test_passwords_of_local_users_are_refused_in_page_api_and_ssh(browser: Browser, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(language="en")
    without("password")
    answer = browser.sign_in("ann")
    assert (answer.status_code, answer.json()["error"]) == (400, "backend_not_match")
    assert browser.get("/api/v1/users/profile/").status_code == 401
    token = APIClient().post(f"{API}tokens/", {"username": "ann", "password": PASSWORD})
    assert (token.status_code, token.json()["error"]) == (400, "backend_not_match")
    outcome = facade.check_password(
        username="ann",
        password=PASSWORD,
        attempt="a-1",
        remote_addr="192.0.2.9",
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )
    assert outcome.denial is not None
    assert outcome.denial.code is DenialCode.METHOD_DISABLED
    assert outcome.denial.message == (
        "Your password is correct, but signing in with it is switched off. Sign in to the console in a browser, get a "
        f"code for SSH from your profile, and enter it as the password: {console_address()}"
    )
    assert LoginLog.objects.filter(username="ann", status=False, reason="backend_not_match").count() == 3
    assert browser.sign_in("ann", "wrong").json()["error"] == "password_failed"
    without()
    assert browser.sign_in("ann").status_code == 200


def test_passwords_are_not_compared_while_all_password_ways_are_off(browser: Browser, ann: User) -> None:
    leave("openid")
    answers = [browser.sign_in(*pair).json() for pair in (("ann", PASSWORD), ("ann", "wrong"), ("nobody", "x"))]
    assert {answer["error"] for answer in answers} == {"backend_not_match"}
    assert len({answer["msg"] for answer in answers}) == 1
    for password in (PASSWORD, "wrong"):
        outcome = facade.check_password(
            username="ann",
            password=password,
            attempt=password,
            remote_addr="192.0.2.9",
            login_from=LoginFrom.SSH_TERMINAL,
            proxy_id=PROXY_ID,
        )
        assert outcome.denial is not None
        assert outcome.denial.code is DenialCode.METHOD_DISABLED
        assert console_address() in outcome.denial.message
        assert "correct" not in outcome.denial.message


def test_ssh_uses_the_language_of_the_user_only_after_a_right_password(ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(language="zh-hans")
    without("password")
    change_settings(actor=SYSTEM, changes={"TERMINAL_CODE_AUTH": False})
    messages = []
    for attempt, (name, password) in enumerate((("ann", PASSWORD), ("ann", "wrong"), ("nobody", PASSWORD))):
        outcome = facade.check_password(
            username=name,
            password=password,
            attempt=str(attempt),
            remote_addr=f"192.0.2.{attempt}",
            login_from=LoginFrom.SSH_TERMINAL,
            proxy_id=PROXY_ID,
        )
        assert outcome.denial is not None
        messages.append((outcome.denial.code, outcome.denial.message))
    right, wrong, unknown = messages
    address = console_address()
    assert right == (
        DenialCode.METHOD_DISABLED,
        f"密码正确，但该密码登录方式已关闭。在浏览器中登录控制台并在其中打开会话，或联系管理员：{address}",
    )
    assert wrong[0] is DenialCode.BAD_CREDENTIALS
    assert wrong[0] is unknown[0]
    assert "密码正确" not in wrong[1] + unknown[1]


def test_password_confirms_identity_while_its_way_is_off(browser: Browser, ann: User) -> None:
    browser.sign_in("ann")
    leave("openid")
    assert browser.post(f"{API}password/verify/", {"password": PASSWORD}).status_code == 200


def test_passkeys_alone_are_refused_while_their_way_is_off(browser: Browser, ann: User) -> None:
    PreferenceValue.objects.create(name="SITE_URL", value=ORIGIN)
    passkey = enrolled(ann)
    without("passkey")
    browser.get(f"{API}sign-in/")
    options = browser.post(f"{API}passkeys/sign-in/start/", format="json").json()
    answer = browser.post(f"{API}passkeys/sign-in/", {"credential": passkey.show(options)}, format="json")
    assert (answer.status_code, answer.json()["error"]) == (400, "backend_not_match")


def test_disabled_way_of_a_provider_is_refused_before_and_after_the_visit(
    services: dict[str, Service], ann: User
) -> None:
    ExternalAccount.objects.create(
        user=ann, provider="wecom", tenant="corp-1", subject=services["wecom"].person.subject
    )
    visitor = Visitor()
    visit = visitor.walk("wecom", services["wecom"])
    without("wecom")
    assert visitor.use(visit).json()["error"] == "external_failed"
    assert not LoginSession.objects.exists()
    second = Visitor()
    assert second.start("wecom").startswith("/core/auth/login/")
    assert ExternalRequest.objects.latest("date_created").refusal["code"] == "external.off"
    without("dingtalk")
    assert Visitor().sign_in_by("wecom", services["wecom"]).status_code == 200


def test_pending_sign_in_is_refused_after_its_way_was_disabled(browser: Browser, ann: User) -> None:
    app = App(ann)
    assert browser.sign_in("ann").json()["error"] == "mfa_required"
    without("password")
    answer = browser.post(f"{API}mfa/challenge/", {"code": app.code(), "type": "code"}, format="json")
    assert (answer.status_code, answer.json()["error"]) == (400, "backend_not_match")
    assert not LoginSession.objects.filter(date_ended__isnull=True).exists()


def test_administrators_cannot_disable_their_own_way_of_signing_in(
    first_admin: Browser, as_admin: APIClient, make_person: Callable[..., User]
) -> None:
    refused = first_admin.patch(FORM, {NAME: ["openid", "ldap"]}, format="json")
    assert (refused.status_code, set(refused.json())) == (400, {NAME})
    assert first_admin.patch(FORM, {NAME: ["openid", "password"]}, format="json").status_code == 200
    LoginSession.objects.update(backend="openid:corp")
    assert first_admin.patch(FORM, {NAME: ["password"]}, format="json").status_code == 400
    assert first_admin.patch(FORM, {NAME: ["openid"]}, format="json").status_code == 200


def command() -> Callable[..., int]:
    commands: dict[str, Any] = {}

    def add(name: str, run: Any) -> argparse.ArgumentParser:
        commands[name] = run
        return argparse.ArgumentParser()

    user_commands.add_to(add, lambda: None)
    ways: Callable[..., int] = commands["ways"]
    return ways


def test_command_line_enables_every_way(browser: Browser, ann: User, capsys: pytest.CaptureFixture[str]) -> None:
    leave("openid")
    assert browser.sign_in("ann").status_code == 400
    assert command()(argparse.Namespace(), None) == 0
    assert "switched on" in capsys.readouterr().out
    assert browser.sign_in("ann").status_code == 200
    assert AuditEvent.objects.filter(event="settings.updated", user="System").exists()


def test_environment_can_fix_the_order() -> None:
    variable = f"POSTERN_SET_{NAME}"
    assert environment.values_of(((variable, Secret("openid, password")),))[NAME] == "openid,password"
    for text in ("", "x", "password,password", "password;ldap"):
        with pytest.raises(SettingsError):
            environment.values_of(((variable, Secret(text)),))
