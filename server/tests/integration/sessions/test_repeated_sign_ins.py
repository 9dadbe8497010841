"""A sign-in through a proxy whose answer was lost is repeated by the same attempt: it counts once and signs in once."""

import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from factories.proxy_client import Proxy
from factories.second_factor import App
from factories.ssh_proof import make_key, signed_request
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import housekeeping
from postern.apps.authn.models import AnsweredSignIn, PendingSignIn, ProxySignIn, SignInGuard
from postern.apps.authn.proxies.actions import proxy_factors, proxy_sign_ins
from postern.apps.authn.sign_in.actions import second_factor, sign_in
from postern.apps.users.models import User
from postern.contracts import access
from postern.contracts.enums import DenialCode, LoginFrom
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.requests import attempts
from postern.kernel import clock
from postern.kernel.errors import Unavailable
from postern.kernel.ids import token_hash

PASSWORD = "violet anchor seventeen"
ADDRESS = "192.0.2.9"
KEY, KEY_LINE = make_key()
Ask = Callable[..., access.SignInAnswer]


class Killed(BaseException):
    """Simulates the death of the process: nothing after this point runs."""


def killed(*_args: object, **_values: object) -> Any:
    raise Killed


def new_attempt() -> str:
    return secrets.token_hex(access.ATTEMPT_BYTES)


@pytest.fixture
def ann(make_user: Callable[..., User]) -> User:
    user = make_user("ann", public_key=KEY_LINE, language="en")
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def show_password(proxy: Proxy) -> Ask:
    def show(password: str = PASSWORD, *, by: Proxy = proxy, **more: Any) -> access.SignInAnswer:
        values: dict[str, Any] = {
            "username": "ann",
            "password": password,
            "remote_addr": ADDRESS,
            "login_from": LoginFrom.SSH_TERMINAL,
            **more,
        }
        return by.ask(access.SIGN_IN_PASSWORD, access.SignInPassword(**values), access.SignInAnswer)

    return show


@pytest.fixture
def show_code(proxy: Proxy) -> Ask:
    def show(token: str, code: str, *, attempt: str) -> access.SignInAnswer:
        request = access.SignInCode(token=token, code=code, username="ann", remote_addr=ADDRESS, attempt=attempt)
        return proxy.ask(access.SIGN_IN_CODE, request, access.SignInAnswer)

    return show


def failures() -> list[int]:
    return sorted(SignInGuard.objects.values_list("failures", flat=True))


def holds(proxy: Proxy, ticket: str) -> bool:
    return proxy_sign_ins.find(ticket, proxy_id=proxy.id, remote_addr=ADDRESS).fault is None


def pass_time(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    then = clock.now() + by
    monkeypatch.setattr(clock, "now", lambda: then)


def code_of(answer: access.SignInAnswer) -> DenialCode | None:
    return answer.denial.code if answer.denial is not None else None


# Passwords


def test_right_password_with_a_lost_answer_signs_in_once(proxy: Proxy, ann: User, show_password: Ask) -> None:
    attempt = new_attempt()
    first = show_password(attempt=attempt)
    again = show_password(attempt=attempt)
    assert (again.user, again.login) == (first.user, first.login)
    assert ProxySignIn.objects.count() == 1
    assert LoginLog.objects.count() == 1
    assert holds(proxy, again.ticket)
    assert not holds(proxy, first.ticket), "the ticket that was lost is void"


def test_wrong_password_with_a_lost_answer_counts_once(ann: User, show_password: Ask) -> None:
    attempt = new_attempt()
    first = show_password("wrong", attempt=attempt)
    counted, recorded = failures(), AuditEvent.objects.count()
    for _ in range(20):
        assert show_password("wrong", attempt=attempt) == first
    assert failures() == counted == [1, 1]
    assert AuditEvent.objects.count() == recorded
    assert LoginLog.objects.count() == 1


@pytest.mark.parametrize("change", ["password", "name", "address", "proxy", "attempt", "no attempt", "short attempt"])
def test_each_guess_counts_unless_the_same_attempt_repeats_it(
    proxy: Proxy, other_proxy: Proxy, ann: User, show_password: Ask, change: str
) -> None:
    """An attempt stands for one password, one name and one address at one proxy."""
    first = {"no attempt": "", "short attempt": "1"}.get(change, new_attempt())
    more: dict[str, Any] = {
        "password": {"password": "wrong as well"},
        "name": {"username": "bob"},
        "address": {"remote_addr": "192.0.2.10"},
        "proxy": {"by": other_proxy},
        "attempt": {"attempt": new_attempt()},
    }.get(change, {})
    assert code_of(show_password("wrong", attempt=first)) is DenialCode.BAD_CREDENTIALS
    before = sum(failures())
    assert code_of(show_password(**{"password": "wrong", "attempt": first, **more})) is DenialCode.BAD_CREDENTIALS
    assert sum(failures()) == before + 2
    assert LoginLog.objects.count() == 2


def test_sign_in_to_a_locked_account_is_logged_once_for_each_attempt(ann: User, show_password: Ask) -> None:
    for _ in range(10):
        show_password("wrong", attempt=new_attempt())
    attempt = new_attempt()
    first = show_password(attempt=attempt)
    assert first.user is None
    logged = LoginLog.objects.count()
    assert show_password(attempt=attempt) == first
    assert LoginLog.objects.count() == logged


def test_password_is_checked_again_after_the_time_to_repeat_is_over(
    ann: User, show_password: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = new_attempt()
    show_password("wrong", attempt=attempt)
    pass_time(monkeypatch, attempts.REPEATABLE)
    show_password("wrong", attempt=attempt)
    assert failures() == [2, 2]


@pytest.mark.parametrize("change", ["closed", "epoch", "signed out"])
def test_right_password_is_answered_again_only_while_the_sign_in_is_valid(
    ann: User, show_password: Ask, change: str
) -> None:
    attempt = new_attempt()
    assert show_password(attempt=attempt).user is not None
    match change:
        case "closed":
            User.objects.filter(pk=ann.pk).update(is_active=False)
        case "epoch":
            User.objects.filter(pk=ann.pk).update(session_epoch=ann.session_epoch + 1)
        case _:
            ProxySignIn.objects.update(date_ended=clock.now())
    answer = show_password(attempt=attempt)
    assert (answer.user, answer.ticket) == (None, "")
    assert ProxySignIn.objects.count() == 1


@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
@pytest.mark.parametrize(
    "place",
    [
        (sign_in, "owner_of"),  # counted, but not yet checked
        (sign_in, "settle"),  # checked, but not yet answered
        (proxy_factors, "_denied"),
        (proxy_sign_ins, "open_sign_in"),
    ],
    ids=lambda place: place[1],
)
@pytest.mark.django_db(transaction=True)
def test_password_counts_once_although_the_process_was_killed_during_the_check(
    transactional_db: None,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    password: str,
    place: tuple[Any, str],
) -> None:
    installation.run()
    request.getfixturevalue("ann")
    show_password: Ask = request.getfixturevalue("show_password")
    attempt = new_attempt()
    with monkeypatch.context() as killing:
        killing.setattr(*place, killed)
        try:
            show_password(password, attempt=attempt)
        except Killed:
            assert not LoginLog.objects.exists(), "nothing is told of what did not come to be"
            assert not ProxySignIn.objects.exists()
    answer = show_password(password, attempt=attempt)
    assert (answer.user is not None) is (password == PASSWORD)
    assert failures() == ([0, 0] if password == PASSWORD else [1, 1])
    assert LoginLog.objects.count() == 1
    assert ProxySignIn.objects.count() == (password == PASSWORD)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
def test_password_repeated_before_the_first_answer_counts_once(
    transactional_db: None, request: pytest.FixtureRequest, password: str
) -> None:
    installation.run()
    request.getfixturevalue("ann")
    show_password: Ask = request.getfixturevalue("show_password")
    proxy: Proxy = request.getfixturevalue("proxy")
    attempt = new_attempt()

    def show(_number: int) -> access.SignInAnswer:
        try:
            return show_password(password, attempt=attempt)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(show, range(6)))
    assert len({answer.user for answer in answers}) == 1
    assert failures() == ([0, 0] if password == PASSWORD else [1, 1])
    assert LoginLog.objects.count() == 1
    if password == PASSWORD:
        assert ProxySignIn.objects.count() == 1
        assert sum(holds(proxy, answer.ticket) for answer in answers) == 1


def test_attempt_that_could_not_be_checked_leaves_nothing(
    proxy: Proxy, ann: User, show_password: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = new_attempt()

    def no_room(*_args: object) -> Any:
        raise Unavailable("no memory")

    with monkeypatch.context() as busy:
        busy.setattr(sign_in, "owner_of", no_room)
        with pytest.raises(AssertionError, match="unavailable"):
            show_password("wrong", attempt=attempt)
    assert failures() == [0, 0]
    assert not AnsweredSignIn.objects.exists()
    show_password("wrong", attempt=attempt)
    assert failures() == [1, 1]


def test_stored_attempt_reveals_nothing_about_the_password(ann: User, show_password: Ask) -> None:
    attempt = new_attempt()
    ticket = show_password(attempt=attempt).ticket
    stored = str(AnsweredSignIn.objects.values().get())
    for secret in (PASSWORD, attempt, ticket, token_hash(attempt), token_hash(PASSWORD)):
        assert secret not in stored


def test_attempts_are_deleted_when_their_time_is_over(
    ann: User, show_password: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_password("wrong", attempt=new_attempt())
    housekeeping.forget_old(actor=SYSTEM)
    assert AnsweredSignIn.objects.exists()
    pass_time(monkeypatch, attempts.REPEATABLE)
    housekeeping.forget_old(actor=SYSTEM)
    assert not AnsweredSignIn.objects.exists()


# The second factor


def test_first_factor_with_a_lost_answer_asks_for_one_code(ann: User, show_password: Ask, show_code: Ask) -> None:
    app = App(ann)
    attempt = new_attempt()
    first = show_password(attempt=attempt).second_factor
    again = show_password(attempt=attempt).second_factor
    assert first is not None
    assert again is not None
    assert PendingSignIn.objects.count() == 1
    assert code_of(show_code(first.token, app.code(), attempt=new_attempt())) is DenialCode.MFA_FAILED
    assert show_code(again.token, app.code(), attempt=new_attempt()).user is not None


def test_right_code_with_a_lost_answer_signs_in_once(
    proxy: Proxy, ann: User, show_password: Ask, show_code: Ask
) -> None:
    app = App(ann)
    factor = show_password(attempt=new_attempt()).second_factor
    assert factor is not None
    attempt, code = new_attempt(), app.code()
    first = show_code(factor.token, code, attempt=attempt)
    again = show_code(factor.token, code, attempt=attempt)
    assert again.user == first.user is not None
    assert ProxySignIn.objects.count() == 1
    assert LoginLog.objects.count() == 1
    assert holds(proxy, again.ticket)
    assert not holds(proxy, first.ticket)
    assert code_of(show_code(factor.token, code, attempt=new_attempt())) is DenialCode.MFA_FAILED


def test_wrong_code_with_a_lost_answer_counts_once(ann: User, show_password: Ask, show_code: Ask) -> None:
    app = App(ann)
    factor = show_password(attempt=new_attempt()).second_factor
    assert factor is not None
    attempt, wrong = new_attempt(), app.wrong()
    first = show_code(factor.token, wrong, attempt=attempt)
    counted, logged = failures(), LoginLog.objects.count()
    for _ in range(second_factor.MAX_TRIES + 1):
        assert show_code(factor.token, wrong, attempt=attempt) == first
    assert (failures(), LoginLog.objects.count()) == (counted, logged)
    assert PendingSignIn.objects.get().tries == 1
    assert show_code(factor.token, app.code(), attempt=attempt).user is not None, "another code is another request"
    assert PendingSignIn.objects.get().tries == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", [(second_factor, "completing"), (proxy_sign_ins, "open_sign_in")])
def test_code_is_valid_although_the_process_was_killed_while_it_was_checked(
    transactional_db: None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, place: tuple[Any, str]
) -> None:
    installation.run()
    app = App(request.getfixturevalue("ann"))
    show_code: Ask = request.getfixturevalue("show_code")
    factor = request.getfixturevalue("show_password")(attempt=new_attempt()).second_factor
    attempt, code = new_attempt(), app.code()
    with monkeypatch.context() as killing:
        killing.setattr(*place, killed)
        with pytest.raises(Killed):
            show_code(factor.token, code, attempt=attempt)
    assert show_code(factor.token, code, attempt=attempt).user is not None
    assert ProxySignIn.objects.count() == 1


# Keys


def test_key_with_a_lost_answer_signs_in_once(proxy: Proxy, ann: User) -> None:
    signed, signature = signed_request(KEY, "ann")
    request = access.SignInPublicKey(
        signed=signed,
        signature=signature,
        attempt=new_attempt(),
        remote_addr=ADDRESS,
        login_from=LoginFrom.SSH_TERMINAL,
    )
    first, again = (proxy.ask(access.SIGN_IN_PUBLIC_KEY, request, access.SignInAnswer) for _ in range(2))
    assert again.user == first.user is not None
    assert ProxySignIn.objects.count() == 1
    assert LoginLog.objects.count() == 1
    assert holds(proxy, again.ticket)
    assert not holds(proxy, first.ticket)
