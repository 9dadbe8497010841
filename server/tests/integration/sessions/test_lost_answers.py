"""One-time calls whose answer was lost can be repeated by the same attempt, and still take effect once."""

import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import close_old_connections, connection
from rest_framework.test import APIClient

from factories.proxy_client import Proxy, World
from postern.apps.sessions.models import ConnectionToken, Session, WatchToken
from postern.apps.sessions.sessions.actions import opening, release
from postern.apps.users.models import User
from postern.contracts import access
from postern.contracts.enums import DenialCode
from postern.foundation.requests import attempts
from postern.kernel import clock

TOKENS = "/api/v1/authentication/connection-token/"
Events = Callable[[], list[str]]


def new_attempt() -> str:
    return secrets.token_hex(access.ATTEMPT_BYTES)


def pass_time(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    then = clock.now() + by
    monkeypatch.setattr(clock, "now", lambda: then)


def code_of(answer: access.AuthorizeAnswer | access.CredentialAnswer) -> DenialCode | None:
    return answer.denial.code if answer.denial is not None else None


@pytest.fixture
def token(proxy: Proxy, world: World, as_user: APIClient) -> str:
    proxy.beat()
    body = {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk)}
    answer = as_user.post(TOKENS, body, format="json")
    assert answer.status_code == 201, answer.content
    return str(answer.json()["token"])


@pytest.fixture
def watch_token(active: Session, as_auditor: APIClient) -> str:
    return str(as_auditor.post(f"/api/v1/terminal/sessions/{active.pk}/watch-token/").json()["token"])


# Secret of a session


def test_secret_with_a_lost_answer_is_released_once_and_answered_again(
    proxy: Proxy, opened: Session, audit_events: Events
) -> None:
    attempt = new_attempt()
    first = proxy.credential(opened.pk, attempt=attempt)
    released = Session.objects.get().date_credential_released
    assert first.credential is not None
    event_names = audit_events()
    for _ in range(3):
        assert proxy.credential(opened.pk, attempt=attempt).credential == first.credential
    assert audit_events() == event_names
    assert Session.objects.get().date_credential_released == released


@pytest.mark.parametrize("second", ["another", "none", "short"])
def test_secret_is_released_to_one_attempt_only(proxy: Proxy, opened: Session, second: str) -> None:
    attempt = {"another": new_attempt(), "none": "", "short": "1"}[second]
    first = new_attempt() if second == "another" else attempt
    assert proxy.credential(opened.pk, attempt=first).credential is not None
    assert code_of(proxy.credential(opened.pk, attempt=attempt)) is DenialCode.SESSION_UNKNOWN
    if second != "another":
        assert code_of(proxy.credential(opened.pk, attempt=new_attempt())) is DenialCode.SESSION_UNKNOWN


def test_attempt_that_got_the_secret_is_stored_as_a_hash(proxy: Proxy, opened: Session) -> None:
    attempt = new_attempt()
    proxy.credential(opened.pk, attempt=attempt)
    stored = Session.objects.get().release_attempt
    assert len(stored) == 64
    assert attempt not in stored


def test_secret_is_answered_again_for_seconds_only(
    proxy: Proxy, opened: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = new_attempt()
    proxy.credential(opened.pk, attempt=attempt)
    pass_time(monkeypatch, attempts.REPEATABLE - timedelta(seconds=1))
    assert proxy.credential(opened.pk, attempt=attempt).credential is not None
    pass_time(monkeypatch, timedelta(seconds=1))
    assert code_of(proxy.credential(opened.pk, attempt=attempt)) is DenialCode.SESSION_UNKNOWN


@pytest.mark.parametrize("change", ["permission", "person", "started", "ended", "other proxy", "other key"])
def test_secret_is_answered_again_only_while_all_other_conditions_hold(
    proxy: Proxy, other_proxy: Proxy, world: World, opened: Session, change: str
) -> None:
    attempt = new_attempt()
    assert proxy.credential(opened.pk, attempt=attempt).credential is not None
    key = proxy.opening_key(opened.pk)
    asking, opening_key = proxy, key
    match change:
        case "permission":
            world.permission.delete()
        case "person":
            User.objects.filter(pk=world.user.pk).update(is_active=False)
        case "started":
            proxy.start(opened.pk)
        case "ended":
            Session.objects.update(state="ended", end_reason="terminated", date_end=clock.now())
        case "other proxy":
            asking = other_proxy
        case _:
            opening_key = "made up"
    assert asking.credential(opened.pk, opening_key=opening_key, attempt=attempt).credential is None


def test_repeated_request_for_a_secret_does_not_count_against_the_limit(
    proxy: Proxy, world: World, opened: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = new_attempt()
    assert proxy.credential(opened.pk, attempt=attempt).credential is not None
    monkeypatch.setattr(release.queries, "credentials_a_minute", lambda: 1)
    assert proxy.credential(opened.pk, attempt=attempt).credential is not None
    other = proxy.authorize(world.user, "web-1").grant
    assert other is not None
    assert code_of(proxy.credential(other.session_id, attempt=new_attempt())) is DenialCode.PROXY_LIMITED


@pytest.mark.django_db(transaction=True)
def test_only_one_of_many_concurrent_attempts_gets_the_secret(proxy: Proxy, opened: Session) -> None:
    names = [new_attempt() for _ in range(3)] * 2

    def ask(attempt: str) -> tuple[str, bool]:
        try:
            return attempt, proxy.credential(opened.pk, attempt=attempt).credential is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        got = {attempt for attempt, is_given in pool.map(ask, names) if is_given}
    close_old_connections()
    assert len(got) == 1


# Connection tokens


def test_token_with_a_lost_answer_opens_one_session_and_is_answered_again(
    proxy: Proxy, world: World, token: str, audit_events: Events
) -> None:
    attempt = new_attempt()
    first = proxy.redeem(token, world.user, attempt=attempt)
    assert first.grant is not None
    event_names = audit_events()
    for _ in range(3):
        assert proxy.redeem(token, world.user, attempt=attempt) == first
    assert audit_events() == event_names
    assert Session.objects.count() == 1
    assert proxy.credential(first.grant.session_id).credential is not None


@pytest.mark.parametrize("second", ["another", "none", "other address"])
def test_k18_token_works_for_one_attempt_only(proxy: Proxy, world: World, token: str, second: str) -> None:
    attempt = new_attempt()
    assert proxy.redeem(token, world.user, attempt=attempt).grant is not None
    more: dict[str, Any] = {
        "another": {"attempt": new_attempt()},
        "none": {},
        "other address": {"attempt": attempt, "remote_addr": "192.0.2.77"},
    }[second]
    assert code_of(proxy.redeem(token, world.user, **more)) is DenialCode.TOKEN_USED
    assert Session.objects.count() == 1


def test_k18_token_used_without_an_attempt_cannot_be_repeated(proxy: Proxy, world: World, token: str) -> None:
    assert proxy.redeem(token, world.user).grant is not None
    for attempt in ("", new_attempt()):
        assert code_of(proxy.redeem(token, world.user, attempt=attempt)) is DenialCode.TOKEN_USED


def test_token_is_answered_again_for_seconds_only(
    proxy: Proxy, world: World, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = new_attempt()
    proxy.redeem(token, world.user, attempt=attempt)
    pass_time(monkeypatch, attempts.REPEATABLE)
    assert code_of(proxy.redeem(token, world.user, attempt=attempt)) is DenialCode.TOKEN_USED


def test_token_opens_its_session_although_the_process_was_killed_after_using_it(
    proxy: Proxy, world: World, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """Simulates the death of the process: nothing after this point runs."""

    attempt = new_attempt()
    with monkeypatch.context() as killing:
        killing.setattr(opening, "_permit", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            proxy.redeem(token, world.user, attempt=attempt)
    assert ConnectionToken.objects.get().date_used is not None
    assert code_of(proxy.redeem(token, world.user, attempt=new_attempt())) is DenialCode.TOKEN_USED
    assert proxy.redeem(token, world.user, attempt=attempt).grant is not None
    assert Session.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_token_redeemed_again_before_the_first_answer_opens_one_session(proxy: Proxy, world: World, token: str) -> None:
    attempt = new_attempt()

    def redeem(_number: int) -> access.AuthorizeAnswer:
        try:
            return proxy.redeem(token, world.user, attempt=attempt)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(redeem, range(6)))
    assert {answer.grant.session_id for answer in answers if answer.grant is not None} == {Session.objects.get().pk}
    assert all(answer.grant is not None for answer in answers)


@pytest.mark.parametrize("change", ["permission", "person", "maker", "released", "ended"])
def test_token_is_answered_again_only_while_all_other_conditions_hold(
    proxy: Proxy, world: World, token: str, change: str
) -> None:
    attempt = new_attempt()
    grant = proxy.redeem(token, world.user, attempt=attempt).grant
    assert grant is not None
    match change:
        case "permission":
            world.permission.delete()
        case "person":
            User.objects.filter(pk=world.user.pk).update(is_active=False)
        case "maker":
            User.objects.filter(pk=world.user.pk).update(session_epoch=world.user.session_epoch + 1)
        case "released":
            proxy.credential(grant.session_id)
        case _:
            Session.objects.update(state="ended", end_reason="terminated", date_end=clock.now())
    assert proxy.redeem(token, world.user, attempt=attempt).grant is None
    assert Session.objects.count() == 1


def test_refused_token_stays_refused_and_is_audited_once(
    proxy: Proxy, world: World, token: str, audit_events: Events
) -> None:
    world.permission.is_active = False
    world.permission.save()
    attempt = new_attempt()
    first = proxy.redeem(token, world.user, attempt=attempt)
    assert first.denial is not None
    event_names = audit_events()
    world.permission.is_active = True
    world.permission.save()
    assert proxy.redeem(token, world.user, attempt=attempt) == first
    assert audit_events() == event_names
    assert not Session.objects.exists()


# Watch tokens


def test_watch_token_with_a_lost_answer_is_answered_again(
    proxy: Proxy, people: dict[str, User], watch_token: str, audit_events: Events
) -> None:
    attempt = new_attempt()
    first = proxy.redeem(watch_token, people["auditor"], attempt=attempt)
    assert first.watch is not None
    event_names = audit_events()
    assert proxy.redeem(watch_token, people["auditor"], attempt=attempt) == first
    assert audit_events() == event_names
    assert code_of(proxy.redeem(watch_token, people["auditor"], attempt=new_attempt())) is DenialCode.TOKEN_USED


def test_stopped_watch_is_not_answered_again(proxy: Proxy, people: dict[str, User], watch_token: str) -> None:
    attempt = new_attempt()
    proxy.redeem(watch_token, people["auditor"], attempt=attempt)
    WatchToken.objects.update(date_stopped=clock.now())
    assert code_of(proxy.redeem(watch_token, people["auditor"], attempt=attempt)) is DenialCode.TOKEN_USED
