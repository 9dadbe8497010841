"""Many concurrent sign-ins: requests that hash passwords wait for each other, and do not delay other requests."""

import fcntl
import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from product import Api, Product, wait_until
from test_proxies import knock

from postern.foundation.settings import Settings

TERMINALS = "/api/v1/terminal/terminals/"
#: Number of concurrent sign-ins: more than the hashing slots of all web processes.
AT_ONCE = 24


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A separate product behind a reverse proxy, so that clients have different addresses."""
    home = tmp_path_factory.mktemp("storm") / "home"
    with Product(home, POSTERN_TRUSTED_PROXIES="127.0.0.1", POSTERN_WEB_PROCESSES="2") as running:
        yield running


@contextmanager
def hashing_is_busy(product: Product) -> Iterator[None]:
    """Occupy every hashing slot, as clients that hash continuously would."""
    folder = Settings.load({"POSTERN_HOME": str(product.home)}).run_dir
    held = [os.open(folder / f"hashing-{number}.lock", os.O_RDWR | os.O_CREAT, 0o600) for number in range(2)]
    try:
        for descriptor in held:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)


def at_a_proxy(product: Product, number: int) -> int:
    """Send a sign-in over SSH, as the proxy does."""
    credential = json.loads((product.home / "proxy" / "credential.json").read_text())
    body = {
        "username": f"nobody-{number}",
        "password": "a-Guess-of-a-thief-1",
        "remote_addr": f"203.0.113.{number % 250 + 1}",
        "login_from": "ST",
    }
    return knock(product, credential, "sign-in/password/", body)[0]


def at_the_console(product: Product, number: int) -> int:
    body = {"username": f"nobody-{number}", "password": "a-Guess-of-a-thief-1"}
    headers = {"X-Forwarded-For": f"203.0.113.{number % 250 + 1}"}
    return Api(product.url).call("POST", "/api/v1/authentication/auth/", body, headers).status


def last_heard(api: Api) -> Any:
    (local,) = [row for row in api.get(TERMINALS) if row["is_local"]]
    return local["stat"]["date_created"]


def test_services_stay_healthy_while_sign_ins_wait_for_hashing(product: Product) -> None:
    api = product.api()
    with ThreadPoolExecutor(2 * AT_ONCE) as strangers:
        with hashing_is_busy(product):
            storm = [
                strangers.submit(way, product, number)
                for number in range(2 * AT_ONCE)
                for way in (at_a_proxy, at_the_console)
            ]
            before = last_heard(api)
            health: list[int] = []

            def two_heartbeats_later() -> bool:
                health.append(Api(product.url).call("GET", "/api/health/").status)
                return last_heard(api) > before and len(health) > 10

            wait_until(two_heartbeats_later, message="a heartbeat of the proxy")
            assert set(health) == {200}
            assert api.call("GET", "/api/v1/users/profile/").status == 200
            answers = {future.result() for future in storm}
        assert answers == {503}


def test_many_wrong_passwords_do_not_stop_heartbeats(product: Product) -> None:
    api, over = product.api(), threading.Event()

    def guess(number: int) -> set[int]:
        answers: set[int] = set()
        turn = number
        while not over.is_set():
            answers.add((at_a_proxy if number % 2 else at_the_console)(product, turn))
            turn += AT_ONCE
        return answers

    with ThreadPoolExecutor(AT_ONCE) as strangers:
        storm = [strangers.submit(guess, number) for number in range(AT_ONCE)]
        try:
            before = last_heard(api)
            health = [Api(product.url).call("GET", "/api/health/").status for _ in range(40)]
            wait_until(lambda: last_heard(api) > before, message="a heartbeat of the proxy")
        finally:
            over.set()
        answers = set().union(*(future.result() for future in storm))
    assert set(health) == {200}
    assert answers <= {200, 400, 503}, "judged, or asked to try again"
