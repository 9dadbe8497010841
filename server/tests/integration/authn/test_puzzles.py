"""A puzzle is required before a password is compared after a failed sign-in, and always before a link is mailed."""

import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.at_once import at_once
from factories.browser import PASSWORD, Browser
from factories.mail import use_mail_server
from factories.puzzles import solved
from postern.apps.audits.models import LoginLog
from postern.apps.authn import housekeeping
from postern.apps.authn.lock_out import locks
from postern.apps.authn.models import SignInGuard, UsedPuzzle
from postern.apps.authn.puzzles.puzzle import MOST
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.models import OutboxMessage
from postern.kernel import clock

pytestmark = pytest.mark.django_db

SIGN_IN: Final = "/api/v1/authentication/sign-in/"
FORGOT: Final = "/api/v1/authentication/password/forgot/"
HOME, STRANGE, OTHER = "192.0.2.10", "203.0.113.9", "198.51.100.77"


def fail(username: str = "ann", address: str = STRANGE) -> None:
    with pytest.raises(sign_in.WrongCredentials):
        sign_in.confirm_password(username=username, password="wrong", remote_addr=address)


class Client:
    """Sends single requests of the sign-in page, without solving puzzles."""

    def __init__(self, address: str = STRANGE, browser: Browser | None = None) -> None:
        self.browser = browser or Browser(address)
        self.browser.get(SIGN_IN)

    def send(self, username: str = "ann", password: str = PASSWORD, **puzzle: Any) -> Any:
        body = {"username": username, "password": password, **({"puzzle": puzzle} if puzzle else {})}
        return self.browser.post(SIGN_IN, body)

    def puzzle(self, username: str = "ann") -> dict[str, Any]:
        answer = self.send(username)
        assert answer.status_code == 400
        body = answer.json()
        assert (body["error"], set(body)) == ("puzzle_required", {"error", "msg", "puzzle"})
        puzzle: dict[str, Any] = body["puzzle"]
        return puzzle

    def needs_puzzle(self, username: str = "ann", password: str = PASSWORD, **puzzle: Any) -> bool:
        answer = self.send(username, password, **puzzle)
        return bool(answer.status_code == 400 and answer.json()["error"] == "puzzle_required")


@pytest.fixture
def failed(ann: User) -> None:
    fail()


def later(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    now = clock.now() + by
    monkeypatch.setattr(clock, "now", lambda: now)


def test_puzzle_is_required_only_after_a_failure(ann: User) -> None:
    assert Client().send(password="wrong").json()["error"] == "password_failed"
    client = Client(OTHER)
    answer = client.send(**solved(client.puzzle()))
    assert answer.status_code == 200
    assert client.browser.get("/api/v1/users/profile/").json()["username"] == "ann"


def test_without_a_solution_nothing_is_compared_counted_or_logged(
    failed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []
    monkeypatch.setattr(sign_in, "check_password", lambda password, _hashed: bool(compared.append(password)))
    logged = LoginLog.objects.count()
    for _ in range(30):
        assert Client().needs_puzzle(password="wrong")
    assert compared == []
    assert SignInGuard.objects.get(kind="account").failures == 1
    assert LoginLog.objects.count() == logged
    assert locks.locked_accounts(["ann"]) == {}


def test_failures_of_a_name_or_an_address_require_puzzles_for_an_hour(
    failed: None, make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_person("bob")
    assert Client(OTHER).needs_puzzle("ann"), "the name, from anywhere"
    assert Client(STRANGE).needs_puzzle("bob"), "the address, for any name"
    assert not Client(OTHER).needs_puzzle("bob")
    later(monkeypatch, timedelta(minutes=59))
    assert Client(OTHER).needs_puzzle("ann")
    later(monkeypatch, timedelta(minutes=2))
    assert not Client(OTHER).needs_puzzle("ann")
    assert not Client(STRANGE).needs_puzzle("bob")


def test_right_password_does_not_end_the_hour(failed: None) -> None:
    client = Client(OTHER)
    assert client.send(**solved(client.puzzle())).status_code == 200
    assert Client("198.51.100.78").needs_puzzle()


def test_puzzles_are_the_same_for_unknown_names(failed: None) -> None:
    fail("nobody", OTHER)
    known, unknown = Client(HOME).send("ann").json(), Client(HOME).send("nobody").json()
    assert known["msg"] == unknown["msg"]
    assert known["error"] == unknown["error"] == "puzzle_required"
    for body in (known, unknown):
        assert {name: type(value) for name, value in body["puzzle"].items()} == {
            "token": str,
            "salt": str,
            "key": str,
            "rounds": int,
            "most": int,
        }
    assert {name: len(str(value)) for name, value in known["puzzle"].items()} == {
        name: len(str(value)) for name, value in unknown["puzzle"].items()
    }


def test_existing_and_unknown_names_run_the_same_statements(failed: None) -> None:
    fail("nobody", OTHER)
    clients, statements = {name: Client(HOME) for name in ("warm-up", "ann", "nobody")}, []
    for name, client in clients.items():
        with CaptureQueriesContext(connection) as captured:
            client.send(name)
        statements.append([re.sub(r"'[^']*'|[0-9a-f]{32,}|\d+", "?", query["sql"]) for query in captured])
    assert statements[1] == statements[2] != []


def test_known_device_is_exempt_but_others_at_its_address_are_not(ann: User) -> None:
    own = Browser(HOME)
    assert own.sign_in("ann").status_code == 200
    own.post("/api/v1/authentication/sign-out/")
    fail(address=HOME)
    assert Client(HOME).needs_puzzle()
    assert Client(browser=own).send().status_code == 200


def test_cookie_of_another_user_gives_no_exemption(ann: User, make_person: Callable[..., User]) -> None:
    make_person("bob")
    own = Browser(HOME)
    own.sign_in("bob")
    fail()
    assert Client(browser=own).needs_puzzle("ann")


def test_solution_is_accepted_once(failed: None) -> None:
    client = Client()
    solution = solved(client.puzzle())
    assert client.send(password="wrong", **solution).json()["error"] == "password_failed"
    assert client.needs_puzzle(**solution)
    assert client.needs_puzzle(token=f" {solution['token']} ", number=solution["number"])


@pytest.mark.django_db(transaction=True)
def test_one_of_twenty_concurrent_uses_is_accepted(ann: User) -> None:
    fail()
    solution = solved(Client().puzzle())
    clients = [Client(f"198.51.100.{number}") for number in range(20)]

    def guess(client: Client) -> Callable[[], str]:
        return lambda: str(client.send(password="wrong", **solution).json()["error"])

    answers = at_once(*map(guess, clients))
    assert sorted(answers) == ["password_failed", *["puzzle_required"] * 19]
    assert UsedPuzzle.objects.count() == 1


def test_solution_is_valid_for_every_spelling_of_its_name(failed: None, make_person: Callable[..., User]) -> None:
    make_person("bob")
    client = Client()
    assert client.needs_puzzle("bob", **solved(client.puzzle("ann")))
    assert client.send(" ANN ", **solved(client.puzzle("ann"))).status_code == 200


def test_solution_is_valid_for_its_purpose_only(failed: None) -> None:
    use_mail_server(25)
    client = Client()
    for_signing_in = solved(client.puzzle())
    answer = APIClient().post(FORGOT, {"username": "ann", "puzzle": for_signing_in})
    assert answer.json()["error"] == "puzzle_required"
    assert client.needs_puzzle(**solved(answer.json()["puzzle"]))


def test_solution_expires(failed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    solution = solved(client.puzzle())
    later(monkeypatch, timedelta(minutes=5))
    assert client.needs_puzzle(**solution)


def forgeries(solution: dict[str, Any]) -> Iterator[dict[str, Any]]:
    token, number = solution["token"], solution["number"]
    content, _, signature = token.rpartition(":")
    expires, salt, key = content.split(".")
    yield {"token": token, "number": number - 1}
    yield {"token": token, "number": 0}
    yield {"token": content, "number": number}
    yield {"token": f"{content}:", "number": number}
    yield {"token": f"{int(expires) + 600}.{salt}.{key}:{signature}", "number": number}
    yield {"token": f"{token}x", "number": number}
    yield {"token": ":", "number": number}
    yield {"token": "名字:" + signature, "number": number}


def test_forged_solutions_are_refused(failed: None) -> None:
    client = Client()
    for forged in forgeries(solved(client.puzzle())):
        assert client.needs_puzzle(**forged), forged
    assert not UsedPuzzle.objects.exists(), "they cost no row"


@pytest.mark.parametrize("number", [-1, MOST, 2**70, "x", None, [], 1.5])
def test_malformed_numbers_are_reported(failed: None, number: object) -> None:
    client = Client()
    answer = client.send(token=client.puzzle()["token"], number=number)
    assert answer.status_code == 400
    assert set(answer.json()) == {"puzzle"}


@pytest.mark.parametrize("puzzle", ["x", [], {"token": "x" * 257, "number": 1}, {"number": 1}])
def test_malformed_solutions_are_reported(failed: None, puzzle: object) -> None:
    client = Client()
    answer = client.browser.post(SIGN_IN, {"username": "ann", "password": PASSWORD, "puzzle": puzzle})
    assert answer.status_code == 400
    assert set(answer.json()) == {"puzzle"}


def test_programs_need_no_puzzles_but_their_failures_require_them_of_browsers(ann: User) -> None:
    for path in ("auth", "tokens"):
        body = {"username": "ann", "password": "wrong"}
        address = f"/api/v1/authentication/{path}/"
        assert APIClient(REMOTE_ADDR=STRANGE).post(address, body).json()["error"] == "password_failed"
    body = {"username": "ann", "password": PASSWORD}
    assert APIClient(REMOTE_ADDR=STRANGE).post("/api/v1/authentication/auth/", body).status_code == 201
    assert Client(OTHER).needs_puzzle()


def test_stale_access_key_does_not_require_puzzles_of_others_at_its_address(
    ann: User, make_person: Callable[..., User]
) -> None:
    make_person("bob")
    sign_in.count_refused_signature(ann, STRANGE)
    assert Client(OTHER).needs_puzzle("ann")
    assert not Client(STRANGE).needs_puzzle("bob")


def test_solved_puzzle_does_not_shorten_the_wait(failed: None) -> None:
    for _ in range(2):
        fail()
    client = Client()
    answer = client.send(**solved(client.puzzle()))
    assert answer.json()["error"] == "block_login"


def test_setting_switches_puzzles_off(failed: None) -> None:
    use_mail_server(25)
    PreferenceValue.objects.create(name="SECURITY_LOGIN_CAPTCHA_ENABLED", value=False, date_updated=clock.now())
    assert Client().send().status_code == 200
    assert APIClient().post(FORGOT, {"username": "ann"}).status_code == 200


def test_forgotten_password_always_requires_a_puzzle_and_mails_once(ann: User) -> None:
    use_mail_server(25)

    def mails() -> int:
        return OutboxMessage.objects.filter(topic__icontains="forgotten").count()

    client = APIClient()
    for name in ("ann", "nobody"):
        before = mails()
        answer = client.post(FORGOT, {"username": name})
        assert (answer.status_code, answer.json()["error"]) == (400, "puzzle_required")
        assert mails() == before
        body = {"username": name, "puzzle": solved(answer.json()["puzzle"])}
        assert client.post(FORGOT, body).status_code == 200
        assert mails() == before + 1
        assert client.post(FORGOT, body).json()["error"] == "puzzle_required"
        assert mails() == before + 1


def test_used_puzzles_are_deleted_after_their_expiry(failed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    client.send(**solved(client.puzzle()))
    housekeeping.forget_old(actor=SYSTEM)
    assert UsedPuzzle.objects.count() == 1
    later(monkeypatch, timedelta(minutes=6))
    housekeeping.forget_old(actor=SYSTEM)
    assert not UsedPuzzle.objects.exists()


def test_refusals_cost_little_cpu_time(failed: None) -> None:
    """Puzzles cannot be used to overload the server: making and checking a puzzle is far cheaper than comparing a
    password.
    """
    client = Client()
    token = client.puzzle()["token"]
    started = time.process_time()
    for number in range(20):
        assert client.needs_puzzle(token=token, number=number)
    per_request_s = (time.process_time() - started) / 20
    started = time.process_time()
    sign_in.check_password("wrong", sign_in.STAND_IN_HASH)
    assert per_request_s < time.process_time() - started
