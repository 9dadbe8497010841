"""Tokens and sessions opened from a browser are bound to its sign-in (K51: restrictions hold for every credential)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from factories.proxy_client import Proxy, World
from postern.apps.sessions.models import ConnectionToken, Session
from postern.apps.users.models import User
from postern.contracts.enums import DenialCode

PASSWORD = "violet anchor seventeen"
SIGN_IN = "/api/v1/authentication/sign-in/"
TOKENS = "/api/v1/authentication/connection-token/"


@pytest.fixture
def browser(world: World) -> Client:
    """Uma, signed in through the real form."""
    world.user.set_password(PASSWORD)
    world.user.save()
    client = Client(enforce_csrf_checks=True)
    client.get(SIGN_IN)
    assert post(client, SIGN_IN, {"username": "uma", "password": PASSWORD}).status_code == 200
    return client


def post(client: Client, url: str, body: object = None) -> Any:
    headers = {"X-CSRFToken": client.cookies["csrftoken"].value}
    return client.post(url, body or {}, content_type="application/json", headers=headers)


def issue(browser: Client, world: World) -> Any:
    return post(browser, TOKENS, {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk)})


def test_connection_token_is_bound_to_the_browser_sign_in(proxy: Proxy, world: World, browser: Client) -> None:
    proxy.beat()
    token = issue(browser, world).json()["token"]
    assert ConnectionToken.objects.get().login_session is not None
    answer = proxy.redeem(token, world.user)
    assert answer.grant is not None
    assert Session.objects.get().login_session == ConnectionToken.objects.get().login_session


@pytest.mark.parametrize("restriction", ["signed_out", "disabled", "deleted_grant", "password_changed"])
def test_k51_each_restriction_applies_to_a_connection_token(
    proxy: Proxy, world: World, browser: Client, restriction: str
) -> None:
    proxy.beat()
    token = issue(browser, world).json()["token"]
    restrictions: dict[str, Callable[[], object]] = {
        "signed_out": lambda: post(browser, "/api/v1/authentication/sign-out/"),
        "disabled": lambda: User.objects.filter(pk=world.user.pk).update(is_active=False),
        "deleted_grant": world.permission.delete,
        "password_changed": lambda: User.objects.filter(pk=world.user.pk).update(
            session_epoch=world.user.session_epoch + 1
        ),
    }
    restrictions[restriction]()
    answer = proxy.redeem(token, world.user)
    assert answer.grant is None
    assert answer.denial is not None
    assert not Session.objects.exists()


def test_connection_token_needs_the_csrf_token(proxy: Proxy, world: World, browser: Client) -> None:
    proxy.beat()
    body = {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk)}
    assert browser.post(TOKENS, body, content_type="application/json").status_code == 403
    assert not ConnectionToken.objects.exists()


def test_k45_tokens_are_in_no_url_and_no_log(
    proxy: Proxy, world: World, browser: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    proxy.beat()
    body = issue(browser, world).json()
    assert body["token"] not in body["ws_path"]
    proxy.redeem(body["token"], world.user)
    proxy.redeem(body["token"], world.user)
    assert body["token"] not in caplog.text


def test_k63_knowing_a_session_id_gives_no_authority(
    proxy: Proxy, other_proxy: Proxy, opened: Session, browser: Client
) -> None:
    assert other_proxy.credential(opened.pk).credential is None
    assert other_proxy.tell().accepted == 0
    for path in ("", "replay/", "replay/content/"):
        assert browser.get(f"/api/v1/terminal/sessions/{opened.pk}/{path}").status_code == 403
    answer = proxy.redeem(str(opened.pk), User.objects.get(username="uma"))
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.TOKEN_UNKNOWN


def test_k55_unreadable_message_is_refused_and_changes_nothing(proxy: Proxy, opened: Session) -> None:
    for path in ("authorize/", "credential/", "host-key/", "tokens/redeem/", "events/", "heartbeat/"):
        response = proxy.post(path, b'{"session_id": "' + str(opened.pk).encode() + b'"')
        assert response.status_code == 400
    opened.refresh_from_db()
    assert (opened.state, opened.date_credential_released) == ("opening", None)
