"""Tokens and sessions made with a bearer token or an access key open nothing after all access of the user was reset."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import F
from rest_framework.test import APIClient

from factories.browser import PASSWORD
from factories.proxy_client import Proxy, World
from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.authn.credentials.actions import tokens
from postern.apps.rbac import facade as rbac
from postern.apps.sessions.models import ConnectionToken, ProxyOrder, Session, WatchToken
from postern.apps.sessions.sessions.actions import revocation
from postern.apps.users.models import User
from postern.contracts.enums import DenialCode
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT
from postern.foundation.network import outbound

TOKENS = "/api/v1/authentication/connection-token/"
USERS = "/api/v1/users/users/"


def bearer(user: User) -> APIClient:
    """A program that signs its requests with a bearer token of the user."""
    actor = actor_of_user(user, rbac.rights_of(user, DEFAULT), remote_addr=None, login_session=None)
    issued = tokens.issue_token(actor=actor, user=user, remote_addr="192.0.2.7", mfa=False)
    return APIClient(HTTP_AUTHORIZATION=f"Bearer {issued.token.reveal()}")


def connection_token(program: APIClient, world: World) -> str:
    body = {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk)}
    answer = program.post(TOKENS, body, format="json")
    assert answer.status_code == 201, answer.content
    return str(answer.json()["token"])


def change_password(user: User, as_admin: APIClient) -> None:
    User.objects.filter(pk=user.pk, password="").update(password="!")
    assert as_admin.put(f"{USERS}{user.pk}/password/", {"password": "emerald harbour twenty"}).status_code == 200


@pytest.mark.django_db
def test_connection_token_of_a_program_opens_nothing_after_a_password_change(
    proxy: Proxy, world: World, as_admin: APIClient
):
    proxy.beat()
    token = connection_token(bearer(world.user), world)
    change_password(world.user, as_admin)
    answer = proxy.redeem(token, world.user)
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.TOKEN_EXPIRED
    assert not Session.objects.exists()


@pytest.mark.django_db
def test_session_of_a_program_gets_no_secret_after_a_password_change(proxy: Proxy, world: World):
    proxy.beat()
    grant = proxy.redeem(connection_token(bearer(world.user), world), world.user).grant
    assert grant is not None
    User.objects.filter(pk=world.user.pk).update(session_epoch=F("session_epoch") + 1)
    answer = proxy.credential(grant.session_id)
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.SIGN_IN_ENDED
    assert answer.credential is None


@pytest.mark.django_db
def test_session_of_a_program_gets_its_secret_while_nothing_was_ended(proxy: Proxy, world: World):
    proxy.beat()
    grant = proxy.redeem(connection_token(bearer(world.user), world), world.user).grant
    assert grant is not None
    assert proxy.credential(grant.session_id).credential is not None


@pytest.fixture
def of_program(proxy: Proxy, world: World) -> Session:
    """A live session that a program opened."""
    proxy.beat()
    grant = proxy.redeem(connection_token(bearer(world.user), world), world.user).grant
    assert grant is not None
    proxy.beat(grant.session_id)
    proxy.start(grant.session_id)
    return Session.objects.get(pk=grant.session_id)


@pytest.mark.django_db
def test_sweep_ends_sessions_of_programs_opened_before_a_password_change(of_program: Session, opened: Session):
    assert revocation.sweep_accounts(actor=SYSTEM) == 0
    User.objects.update(session_epoch=F("session_epoch") + 1)
    assert revocation.sweep_accounts(actor=SYSTEM) == 1
    assert set(ProxyOrder.objects.values_list("session_id", flat=True)) == {of_program.pk}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("world_installed")
def test_sessions_of_programs_end_at_once_with_a_password_change(
    of_program: Session, world: World, as_admin: APIClient
):
    change_password(world.user, as_admin)
    assert set(ProxyOrder.objects.values_list("session_id", flat=True)) == {of_program.pk}


@pytest.fixture
def world_installed(transactional_db: None) -> None:
    installation.run()


@pytest.mark.django_db
def test_watch_token_of_a_program_opens_nothing_after_a_password_change(
    proxy: Proxy, active: Session, people: dict[str, User]
):
    auditor = people["auditor"]
    answer = bearer(auditor).post(f"/api/v1/terminal/sessions/{active.pk}/watch-token/")
    assert answer.status_code in {200, 201}, answer.content
    User.objects.filter(pk=auditor.pk).update(session_epoch=F("session_epoch") + 1)
    redeemed = proxy.redeem(answer.json()["token"], auditor)
    assert redeemed.watch is None
    assert redeemed.denial is not None


@pytest.mark.django_db
def test_sweep_ends_views_of_programs_opened_before_a_password_change(
    proxy: Proxy, active: Session, people: dict[str, User]
):
    auditor = people["auditor"]
    token = bearer(auditor).post(f"/api/v1/terminal/sessions/{active.pk}/watch-token/").json()["token"]
    assert proxy.redeem(token, auditor).watch is not None
    revocation.sweep_accounts(actor=SYSTEM)
    assert WatchToken.objects.get().date_stopped is None
    User.objects.filter(pk=auditor.pk).update(session_epoch=F("session_epoch") + 1)
    revocation.sweep_accounts(actor=SYSTEM)
    assert WatchToken.objects.get().date_stopped is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["ticket", "token"])
@pytest.mark.usefixtures("world_installed")
def test_session_is_not_opened_when_the_account_is_reset_during_the_opening(
    proxy: Proxy,
    world: World,
    as_admin: APIClient,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
):
    """The reset commits between the decision and the insert of the session row, so it could not end that session."""
    proxy.beat()
    world.user.set_password(PASSWORD)
    world.user.save()
    token = connection_token(bearer(world.user), world)
    proxy.ticket(world.user)
    check = outbound.check_dial
    answers: list[int] = []

    def reset() -> None:
        try:
            answers.append(as_admin.post(f"{USERS}{world.user.pk}/access/reset/").status_code)
        finally:
            connection.close()

    def check_slowly(*args: Any) -> Any:
        if not answers:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(reset).result(timeout=60)
        return check(*args)

    monkeypatch.setattr(outbound, "check_dial", check_slowly)
    ways: dict[str, Callable[[], Any]] = {
        "ticket": lambda: proxy.authorize(world.user, "web-1"),
        "token": lambda: proxy.redeem(token, world.user),
    }
    answer = ways[way]()
    assert answers == [200]
    assert answer.grant is None
    assert answer.denial.code is DenialCode.SIGN_IN_ENDED
    assert not Session.objects.exists()


@pytest.mark.django_db
def test_upgrade_stores_the_current_epoch_in_live_rows(of_program: Session, world: World):
    User.objects.filter(pk=world.user.pk).update(session_epoch=7)
    Session.objects.update(epoch=None)
    ConnectionToken.objects.update(epoch=None)
    migration = import_module("postern.apps.sessions.migrations.0008_epochs_of_sessions_and_tokens")
    migration.note_present_epochs(apps, None)
    assert Session.objects.get(pk=of_program.pk).epoch == 7
    assert ConnectionToken.objects.get().epoch == 7
