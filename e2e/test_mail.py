"""Mail from the running product: the account is tested and saved, the worker sends, and neither a dead mail server nor a
killed worker loses a message.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from product import Api, Product, mute_load_messages, wait_until

from peers.mail_server import PASSWORD, USER, Mailbox, serving
from peers.ports import free_port

SETTINGS = "/api/v1/settings/setting/?category=email"
TEST = "/api/v1/settings/mail/testing/"
DELIVERIES = "/api/v1/notifications/deliveries/"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Product]:
    """A Postern that may dial this machine: the mail server of the test listens on a port that is not one of mail."""
    with Product(tmp_path / "home", POSTERN_ALLOW_LOCAL_TARGETS="yes") as running:
        yield running


def account(port: int) -> dict[str, Any]:
    return {
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(port),
        "EMAIL_HOST_USER": USER,
        "EMAIL_HOST_PASSWORD": PASSWORD,
        "EMAIL_FROM": "Gate <gate@example.com>",
        "EMAIL_RECIPIENT": "ann@example.com",
        "EMAIL_USE_SSL": False,
        "EMAIL_USE_TLS": False,
    }


@pytest.mark.spec("S7-014")
def test_account_is_tested_and_messages_survive_a_dead_server_and_a_killed_worker(own: Product) -> None:
    admin, port, mailbox = own.api(), free_port(), Mailbox()
    mute_load_messages(admin)
    refused = admin.post(TEST, account(port), 400)
    assert "refuses connections to port" in refused["error"]
    with serving(mailbox, port=port):
        assert "ann@example.com" in admin.post(TEST, account(port), 200)["msg"]
    assert [received.message["Subject"] for received in mailbox.received] == ["[Postern] Test message"]
    admin.patch(SETTINGS, account(port))

    # The mail server is down when something happens that super administrators must know.
    lock_out(own, "guess")

    def tried() -> bool:
        # A try counts from its beginning, so that a killed worker does not try for ever; its outcome is the reason.
        rows = admin.get(DELIVERIES)
        return bool(rows) and bool(rows[0]["reason"])

    wait_until(tried, message="the end of the first try")
    (row,) = admin.get(DELIVERIES)
    assert (row["state"], row["tries"]) == ("waiting", 1)
    assert "refuses connections" in row["reason"]

    # The worker is killed before the mail server is back.
    own.kill_part("worker")
    with serving(mailbox, port=port):
        wait_until(lambda: len(mailbox.received) == 2, timeout_s=150, message="the message")
        wait_until(lambda: admin.get(DELIVERIES)[0]["state"] == "accepted", message="the state")
    letter = mailbox.received[-1]
    assert letter.recipient == row["address"]
    assert letter.message["Subject"].startswith("[Postern] ")
    assert "guess" in letter.message["Subject"]
    assert admin.get(DELIVERIES)[0]["tries"] == 2


def lock_out(product: Product, username: str) -> None:
    """Fail to sign in until the name is locked."""
    # The third wrong password locks; later ones would have to wait for seconds in between.
    product.api().patch("/api/v1/settings/setting/?category=security", {"SECURITY_LOGIN_LIMIT_COUNT": 3})
    somebody = Api(product.url)
    somebody.call("GET", "/core/auth/login/")
    for number in range(3):
        somebody.call("POST", "/api/v1/authentication/sign-in/", {"username": username, "password": f"wrong-{number}"})
