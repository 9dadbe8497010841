"""Sessions and tokens made with a bearer token or an access key end with that credential.

K51: restrictions hold for every kind of credential.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.proxy_client import Proxy, World
from factories.signed_request import signed
from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.authn.credentials import callers
from postern.apps.authn.credentials.actions import login_sessions, tokens
from postern.apps.authn.models import AccessKey, BearerToken, LoginSession
from postern.apps.rbac import facade as rbac
from postern.apps.sessions.models import ConnectionToken, ProxyOrder, Session, WatchToken
from postern.apps.sessions.sessions.actions import revocation
from postern.apps.users.models import MfaLevel, User
from postern.contracts.enums import DenialCode, EndReason
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.caller.scope import DEFAULT
from postern.foundation.network import outbound
from postern.kernel import clock

TOKENS = "/api/v1/authentication/connection-token/"
SIGN_OUT = "/api/v1/authentication/sign-out/"
USERS = "/api/v1/users/users/"
_seconds = count()


def actor_of(user: User) -> Actor:
    return actor_of_user(user, rbac.rights_of(user, DEFAULT), remote_addr=None, login_session=None)


@dataclass
class Program:
    """A user's program with a bearer token or an access key."""

    user: User
    headers: Callable[[str, str], dict[str, str]]
    name: str

    def post(self, path: str, body: object = None) -> Any:
        return APIClient().post(path, body, format="json", **self.headers("post", path))

    def connection_token(self, world: World) -> str:
        answer = self.post(TOKENS, {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk)})
        assert answer.status_code == 201, answer.content
        return str(answer.json()["token"])


def with_bearer_token(user: User) -> Program:
    issued = tokens.issue_token(actor=actor_of(user), user=user, remote_addr="192.0.2.7", mfa=False)
    row = BearerToken.objects.get(user=user)
    header = {"HTTP_AUTHORIZATION": f"Bearer {issued.token.reveal()}"}
    return Program(user, lambda _method, _path: header, callers.name_of_token(row.pk))


def with_access_key(user: User) -> Program:
    issued = tokens.create_access_key(actor=actor_of(user), user=user)
    key = issued.key

    def headers(method: str, path: str) -> dict[str, str]:
        # a different date each time, because a repeated signature is refused
        at = clock.now() + timedelta(seconds=next(_seconds) % 60)
        return signed(str(key.pk), issued.secret.reveal(), path, method=method, at=at)

    return Program(user, headers, callers.name_of_key(key.pk))


def revoke_bearer_token(program: Program) -> None:
    assert program.post(SIGN_OUT).status_code == 200
    assert BearerToken.objects.get().date_revoked is not None


def expire_bearer_token(program: Program) -> None:
    del program
    assert BearerToken.objects.update(date_expired=clock.now()) == 1


def want_a_second_factor(program: Program) -> None:
    User.objects.filter(pk=program.user.pk).update(mfa_level=MfaLevel.FORCED)


def switch_key_off(program: Program) -> None:
    tokens.set_access_key_active(actor=actor_of(program.user), key=AccessKey.objects.get(), is_active=False)


def delete_key(program: Program) -> None:
    tokens.delete_access_key(actor=actor_of(program.user), key=AccessKey.objects.get())


Way = tuple[Callable[[User], Program], Callable[[Program], None]]
WAYS: dict[str, Way] = {
    "bearer token revoked": (with_bearer_token, revoke_bearer_token),
    "bearer token expired": (with_bearer_token, expire_bearer_token),
    "second factor wanted": (with_bearer_token, want_a_second_factor),
    "access key switched off": (with_access_key, switch_key_off),
    "access key deleted": (with_access_key, delete_key),
}
#: An action ends these, so an event is published. The other ways happen through time or changed rules.
DONE = ("bearer token revoked", "access key switched off", "access key deleted")
every_way = pytest.mark.parametrize("way", WAYS)
every_deed = pytest.mark.parametrize("way", DONE)


@pytest.fixture
def world_installed(transactional_db: None) -> None:
    installation.run()


def open_session(proxy: Proxy, program: Program, world: World) -> Session:
    grant = proxy.redeem(program.connection_token(world), world.user).grant
    assert grant is not None
    proxy.beat(grant.session_id)
    proxy.start(grant.session_id)
    return Session.objects.get(pk=grant.session_id)


def watch(proxy: Proxy, program: Program, session: Session) -> WatchToken:
    answer = program.post(f"/api/v1/terminal/sessions/{session.pk}/watch-token/")
    assert answer.status_code == 201, answer.content
    assert proxy.redeem(answer.json()["token"], program.user).watch is not None
    return WatchToken.objects.get()


@pytest.mark.django_db
@every_way
def test_k51_connection_token_opens_nothing_after_its_credential_ended(proxy: Proxy, world: World, way: str):
    make, end = WAYS[way]
    proxy.beat()
    program = make(world.user)
    token = program.connection_token(world)
    end(program)
    answer = proxy.redeem(token, world.user)
    assert answer.grant is None
    assert answer.denial is not None
    assert not Session.objects.exists()


@pytest.mark.django_db
@every_deed
def test_k51_watch_token_opens_nothing_after_its_credential_ended(
    proxy: Proxy, active: Session, people: dict[str, User], way: str
):
    make, end = WAYS[way]
    program = make(people["auditor"])
    token = program.post(f"/api/v1/terminal/sessions/{active.pk}/watch-token/").json()["token"]
    end(program)
    answer = proxy.redeem(token, people["auditor"])
    assert answer.watch is None
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.TOKEN_EXPIRED


@pytest.mark.django_db
@every_way
def test_k51_session_gets_no_secret_after_its_credential_ended(proxy: Proxy, world: World, way: str):
    make, end = WAYS[way]
    proxy.beat()
    program = make(world.user)
    grant = proxy.redeem(program.connection_token(world), world.user).grant
    assert grant is not None
    end(program)
    answer = proxy.credential(grant.session_id)
    assert answer.credential is None
    assert answer.denial is not None


@pytest.mark.django_db
@every_way
def test_k51_sweep_ends_sessions_whose_credential_ended(
    proxy: Proxy, active: Session, world: World, people: dict[str, User], way: str
):
    """The sweep finds an ended credential whatever ended it, also when no event was published."""
    make, end = WAYS[way]
    program = make(world.user)
    opened = open_session(proxy, program, world)
    assert opened.credential == program.name
    assert revocation.sweep_accounts(actor=SYSTEM) == 0
    end(program)
    assert revocation.sweep_accounts(actor=SYSTEM) == 1
    order = ProxyOrder.objects.get()
    assert (order.session_id, order.reason) == (opened.pk, EndReason.ACCOUNT_CLOSED.value)


@pytest.mark.django_db
@every_way
def test_k51_sweep_ends_views_whose_credential_ended(proxy: Proxy, active: Session, people: dict[str, User], way: str):
    make, end = WAYS[way]
    program = make(people["auditor"])
    view = watch(proxy, program, active)
    assert view.credential == program.name
    revocation.sweep_accounts(actor=SYSTEM)
    view.refresh_from_db()
    assert view.date_stopped is None
    end(program)
    revocation.sweep_accounts(actor=SYSTEM)
    view.refresh_from_db()
    assert view.date_stopped is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("world_installed")
@every_deed
def test_k51_sessions_and_views_end_at_once_with_the_credential_that_opened_them(
    proxy: Proxy, world: World, people: dict[str, User], way: str
):
    make, end = WAYS[way]
    proxy.beat()
    User.objects.filter(pk=world.user.pk).update(role=people["system_auditor"].role)
    world.user.refresh_from_db()
    program = make(world.user)
    opened = open_session(proxy, program, world)
    view = watch(proxy, program, opened)
    unused = program.connection_token(world)
    end(program)
    assert set(ProxyOrder.objects.values_list("session_id", "kind")) == {
        (opened.pk, "terminate_session"),
        (opened.pk, "stop_watching"),
    }
    view.refresh_from_db()
    assert view.date_stopped is not None
    assert proxy.redeem(unused, world.user).denial is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("world_installed")
def test_access_key_switched_on_again_revives_no_session(proxy: Proxy, world: World):
    proxy.beat()
    program = with_access_key(world.user)
    token = program.connection_token(world)
    switch_key_off(program)
    tokens.set_access_key_active(actor=actor_of(world.user), key=AccessKey.objects.get(), is_active=True)
    answer = proxy.redeem(token, world.user)
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.TOKEN_UNKNOWN
    assert not ConnectionToken.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("world_installed")
@pytest.mark.parametrize("make", [with_bearer_token, with_access_key])
def test_sessions_of_programs_end_when_an_administrator_resets_access(
    proxy: Proxy, world: World, as_admin: APIClient, make: Callable[[User], Program]
):
    proxy.beat()
    opened = open_session(proxy, make(world.user), world)
    assert as_admin.post(f"{USERS}{world.user.pk}/access/reset/").status_code == 200
    assert ProxyOrder.objects.get().session_id == opened.pk


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("world_installed")
@pytest.mark.parametrize("way", [*DONE, "sign-in ended"])
def test_session_is_not_opened_when_its_credential_ends_during_the_opening(
    proxy: Proxy, world: World, monkeypatch: pytest.MonkeyPatch, way: str
):
    """The credential ends between the decision and the insert of the session row.

    The code that ends sessions could not see that row yet, so the insert itself must fail.
    """
    proxy.beat()
    if way == "sign-in ended":
        row = login_sessions.open_login_session(user=world.user, origin=login_sessions.SignInOrigin("192.0.2.7"))
        program = with_bearer_token(world.user)
        token = program.connection_token(world)
        ConnectionToken.objects.update(credential="", login_session=row.pk)

        def end(program: Program) -> None:
            login_sessions.sign_out(actor=SYSTEM, login_session=LoginSession.objects.get())
    else:
        make, end = WAYS[way]
        program = make(world.user)
        token = program.connection_token(world)
    check = outbound.check_dial
    ended: list[None] = []

    def end_it() -> None:
        try:
            ended.append(end(program))
        finally:
            connection.close()

    def check_slowly(*args: Any) -> Any:
        if not ended:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(end_it).result(timeout=60)
        return check(*args)

    monkeypatch.setattr(outbound, "check_dial", check_slowly)
    answer = proxy.redeem(token, world.user)
    assert ended
    assert answer.grant is None
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.SIGN_IN_ENDED
    assert not Session.objects.exists()
