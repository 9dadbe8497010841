"""`settings/mail/testing/` against real mail servers."""

import socket
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from peers import mail_server as peer
from peers.certificates import make_certificate
from peers.mail_server import PASSWORD, USER, Mailbox, misbehaving, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.preferences import mail_testing
from postern.apps.preferences.models import PreferenceValue

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

URL = "/api/v1/settings/mail/testing/"
FORM = "/api/v1/settings/setting/?category=email"


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
def client(as_admin: APIClient) -> APIClient:
    as_admin.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return as_admin


def form(port: int, **more: Any) -> dict[str, Any]:
    return {
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(port),
        "EMAIL_HOST_USER": USER,
        "EMAIL_HOST_PASSWORD": PASSWORD,
        "EMAIL_FROM": "Gate <gate@example.com>",
        "EMAIL_RECIPIENT": "ann@example.com",
        "EMAIL_USE_SSL": False,
        "EMAIL_USE_TLS": False,
        **more,
    }


def error_of(client: APIClient, entered: dict[str, Any]) -> str:
    answer = client.post(URL, entered)
    assert answer.status_code == 400, answer.content
    assert list(answer.json()) == ["error"]
    assert PASSWORD.strip() not in answer.content.decode()
    error: str = answer.json()["error"]
    return error


def save(client: APIClient, entered: dict[str, Any]) -> None:
    answer = client.put(FORM, {**entered, "EMAIL_SUBJECT_PREFIX": "[网关] "})
    assert answer.status_code == 200, answer.content


@pytest.mark.spec("S7-014")
def test_unsaved_values_are_tested_and_nothing_is_saved(client: APIClient, mailbox: Mailbox) -> None:
    with serving(mailbox) as port:
        answer = client.post(URL, form(port))
    assert (answer.status_code, answer.json()) == (
        200,
        {"msg": "The mail server has accepted a test message for ann@example.com."},
    )
    (received,) = mailbox.received
    assert (received.sender, received.recipient) == ("gate@example.com", "ann@example.com")
    assert received.message["Subject"] == "[Postern] Test message"
    assert "They work." in received.body("plain")
    assert "They work." in received.body("html")
    assert not PreferenceValue.objects.exists()
    (record,) = AuditEvent.objects.filter(event="settings.mail_tested")
    assert record.new["accepted"] is True
    assert record.new["recipient"] == "ann@example.com"
    assert record.new["EMAIL_HOST"] == "127.0.0.1"
    assert PASSWORD.strip() not in str(record.new)


def test_test_message_is_in_the_language_of_the_person(client: APIClient, mailbox: Mailbox) -> None:
    with serving(mailbox) as port:
        answer = client.post(URL, form(port), headers={"Accept-Language": "zh-hans"})
    assert answer.status_code == 200
    assert mailbox.received[0].message["Subject"] == "[Postern] 测试邮件"
    assert "ann@example.com" in answer.json()["msg"]


def test_empty_password_means_the_stored_password_and_empty_recipient_the_sender(
    client: APIClient, mailbox: Mailbox
) -> None:
    with serving(mailbox) as port:
        save(client, form(port))
        answer = client.post(URL, form(port, EMAIL_HOST_PASSWORD="", EMAIL_RECIPIENT=""))
    assert answer.status_code == 200, answer.content
    assert mailbox.sign_ins == [(USER, PASSWORD)]
    assert mailbox.received[0].recipient == "gate@example.com"
    assert mailbox.received[0].message["Subject"] == "[网关] Test message"


@pytest.mark.parametrize("changed", ["EMAIL_HOST", "EMAIL_PORT", "EMAIL_HOST_USER"])
def test_stored_password_is_sent_to_no_other_server_or_account(
    client: APIClient, mailbox: Mailbox, changed: str
) -> None:
    with serving(mailbox) as port:
        stored = form(port)
        others = {"EMAIL_HOST": "localhost", "EMAIL_PORT": "465", "EMAIL_HOST_USER": "eve@example.com"}
        save(client, {**stored, changed: others[changed]})
        error = error_of(client, form(port, EMAIL_HOST_PASSWORD=""))
    assert error.startswith("Enter the password: the stored one is only sent to")
    assert (mailbox.sign_ins, mailbox.received) == ([], [])
    (record,) = AuditEvent.objects.filter(event="settings.mail_tested")
    assert (record.new["accepted"], record.new["reason"]) == (False, "password_wanted")


def test_entered_password_replaces_the_stored_password(client: APIClient, mailbox: Mailbox) -> None:
    with serving(mailbox) as port:
        save(client, form(port))
        error = error_of(client, form(port, EMAIL_HOST_PASSWORD="another"))
    assert "refuses this SMTP account or password" in error
    assert mailbox.sign_ins == [(USER, "another")]


@pytest.mark.parametrize(
    ("behave", "values", "words"),
    [
        (peer.silent, {}, "sent no greeting within 1 seconds. If port"),
        (peer.dripping, {}, "sent no greeting within 1 seconds. If port"),
        (peer.dripping_answers, {}, "did not finish the conversation within 1 seconds"),
        (peer.silent, {"EMAIL_USE_SSL": True}, "did not begin TLS on port"),
        (peer.hanging_up, {}, "closed the connection too early"),
        (
            peer.hanging_up_at(b"MAIL"),
            {"EMAIL_HOST_PASSWORD": ""},
            "in the middle of the conversation. Try again later",
        ),
        (peer.saying(b"SSH-2.0-x\r\n"), {}, "is no mail server"),
        (peer.silent, {"EMAIL_HOST": "mail.invalid"}, "The name mail.invalid cannot be resolved."),
    ],
)
def test_failure_says_what_to_change(
    client: APIClient, monkeypatch: pytest.MonkeyPatch, behave: Any, values: dict[str, Any], words: str
) -> None:
    monkeypatch.setattr(mail_testing, "LIMIT_S", 1.0)
    with misbehaving(behave) as port:
        assert words in error_of(client, form(port, **values))


def test_refused_connection_names_the_port(client: APIClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert f"refuses connections to port {port}" in error_of(client, form(port))


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("expired", "has expired. It must be renewed on the mail server."),
        ("wrong name", "is not for 127.0.0.1. Enter the host name"),
        ("unknown authority", "an authority that this machine does not trust"),
    ],
)
@pytest.mark.parametrize("switch", ["EMAIL_USE_SSL", "EMAIL_USE_TLS"])
def test_invalid_certificate_is_reported_with_the_reason(
    client: APIClient,
    mailbox: Mailbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    fault: str,
    words: str,
    switch: str,
) -> None:
    name = "other.example.com" if fault == "wrong name" else "127.0.0.1"
    certificate = make_certificate(tmp_path / "a", name=name, has_expired=fault == "expired")
    trusted = make_certificate(tmp_path / "b") if fault == "unknown authority" else certificate
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted.authority))
    is_starttls = switch == "EMAIL_USE_TLS"
    with serving(
        mailbox, tls=None if is_starttls else certificate, starttls=certificate if is_starttls else None
    ) as port:
        assert words in error_of(client, form(port, **{switch: True}))
    assert mailbox.sign_ins == []


def test_server_without_ssl_on_the_ssl_port_is_reported(client: APIClient, mailbox: Mailbox) -> None:
    with serving(mailbox) as port:
        assert "Choose TLS (STARTTLS) instead of SSL" in error_of(client, form(port, EMAIL_USE_SSL=True))


def test_refused_sender_and_recipient_are_named(client: APIClient, mailbox: Mailbox) -> None:
    with serving(mailbox) as port:
        assert "does not accept mail for unknown@example.com" in error_of(
            client, form(port, EMAIL_RECIPIENT="unknown@example.com")
        )
        mailbox.sender_answer = "553 Not yours"
        assert "does not accept mail from gate@example.com" in error_of(client, form(port))


def test_account_that_is_not_an_address_requires_a_sender(client: APIClient, mailbox: Mailbox) -> None:
    with serving(mailbox) as port:
        error = error_of(client, form(port, EMAIL_FROM="", EMAIL_HOST_USER="apikey"))
    assert error == "apikey is no mail address. Enter the address of the sender under Send user."


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"EMAIL_HOST": ""}, "EMAIL_HOST"),
        ({"EMAIL_PORT": "99999"}, "EMAIL_PORT"),
        ({"EMAIL_RECIPIENT": "ann@example.com\nBcc: eve@example.com"}, "EMAIL_RECIPIENT"),
        ({"EMAIL_USE_SSL": True, "EMAIL_USE_TLS": True}, "EMAIL_USE_TLS"),
    ],
)
def test_wrong_value_is_refused_at_its_field(client: APIClient, values: dict[str, Any], field: str) -> None:
    answer = client.post(URL, form(25, **values))
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
