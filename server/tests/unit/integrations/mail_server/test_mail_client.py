"""The client of mail servers against a real SMTP server, and against servers that misbehave."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import translation

from peers import mail_server as peer
from peers.certificates import Certificate, make_certificate
from peers.mail_server import PASSWORD, USER, Mailbox, misbehaving, serving
from postern.foundation.network import outbound
from postern.foundation.phrases import said, sentence_from, stored
from postern.integrations.mail_server.client import send
from postern.integrations.mail_server.failures import MailFailed
from postern.integrations.mail_server.letter import Correspondent, Letter, correspondent_in
from postern.integrations.mail_server.server import Encryption, MailServer
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret

LETTER = Letter(
    sender=Correspondent("gate@example.com", "Póstern 网关"),
    recipient=Correspondent("ann@example.com", 'Ānn "A", 李 <b>'),
    subject="主机 web-1: the host key has changed ✓",
    text="第一行\n.\n..a line of dots\nLast.",
    html="<p>第一行 <b>bold</b></p>",
    message_id="0f9c@postern.example.com",
    date=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
)


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


def server_at(port: int, encryption: Encryption = Encryption.NONE, **more: Any) -> MailServer:
    return MailServer(
        **{
            "host": "127.0.0.1",
            "port": port,
            "encryption": encryption,
            "username": USER,
            "password": Secret(PASSWORD),
            **more,
        }
    )


def deliver(server: MailServer, letter: Letter = LETTER, *, limit_s: float = 20) -> None:
    send(server, letter, check=outbound.check_mail_server, limit_s=limit_s)


def failure(server: MailServer, letter: Letter = LETTER, *, limit_s: float = 20) -> MailFailed:
    with pytest.raises(MailFailed) as caught:
        deliver(server, letter, limit_s=limit_s)
    assert PASSWORD.strip() not in str(caught.value)
    return caught.value


def trust(monkeypatch: pytest.MonkeyPatch, authority: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))


def serving_with(certificate: Certificate, encryption: Encryption, mailbox: Mailbox) -> AbstractContextManager[int]:
    return serving(
        mailbox,
        tls=certificate if encryption is Encryption.TLS else None,
        starttls=certificate if encryption is Encryption.STARTTLS else None,
    )


class TestAcceptedLetters:
    @pytest.mark.parametrize("encryption", list(Encryption))
    def test_letter_arrives_whole_over_every_encryption(
        self, mailbox: Mailbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encryption: Encryption
    ) -> None:
        certificate = make_certificate(tmp_path)
        trust(monkeypatch, certificate.authority)
        with serving_with(certificate, encryption, mailbox) as port:
            deliver(server_at(port, encryption))
        (received,) = mailbox.received
        assert (received.sender, received.recipient) == ("gate@example.com", "ann@example.com")
        message = received.message
        assert message["From"] == "Póstern 网关 <gate@example.com>"
        (to,) = message["To"].addresses
        assert (to.display_name, to.addr_spec) == ('Ānn "A", 李 <b>', "ann@example.com")
        assert message["Subject"] == LETTER.subject
        assert message["Message-ID"] == "<0f9c@postern.example.com>"
        assert message["Date"] == "Sun, 01 Mar 2026 12:30:00 +0000"
        assert message["Auto-Submitted"] == "auto-generated"
        assert received.body("plain").splitlines() == LETTER.text.splitlines()
        assert received.body("html").strip() == LETTER.html
        assert received.raw.isascii(), "servers without 8BITMIME take it"
        assert mailbox.sign_ins == [(USER, PASSWORD)]

    def test_without_password_nobody_signs_in(self, mailbox: Mailbox) -> None:
        with serving(mailbox, has_sign_in=False) as port:
            deliver(server_at(port, password=None))
        assert len(mailbox.received) == 1
        assert mailbox.sign_ins == []

    def test_international_domain_is_sent_in_ascii(self, mailbox: Mailbox) -> None:
        with serving(mailbox) as port:
            deliver(server_at(port), replace(LETTER, recipient=Correspondent("ann@bücher.example")))
        assert mailbox.received[0].recipient == "ann@xn--bcher-kva.example"

    def test_server_that_does_not_say_goodbye_has_accepted_the_letter(self) -> None:
        def behave(connection: socket.socket) -> None:
            answers = [b"220 hi", b"250 hi", b"250 sender", b"250 recipient", b"354 go", b"250 accepted"]
            for number, answer in enumerate(answers):
                connection.sendall(answer + b"\r\n")
                content = b""
                while not content.endswith(b"\r\n.\r\n" if number == 4 else b"\r\n"):
                    content += connection.recv(4096)
            peer.silent(connection)

        with misbehaving(behave) as port:
            started_s = monotonic_s()
            deliver(server_at(port, password=None), limit_s=20)
            assert monotonic_s() - started_s < 15


class TestInjection:
    @pytest.mark.parametrize("end", ["\r\n", "\n", "\r", "\x0b", "\x85", "\u2028", "\x00"])
    def test_no_value_adds_a_header(self, mailbox: Mailbox, end: str) -> None:
        added = f"{end}Bcc: eve@example.com{end}{end}body"
        letter = replace(
            LETTER,
            subject=f"Subject{added}",
            sender=Correspondent("gate@example.com", f"Gate{added}"),
            recipient=Correspondent("ann@example.com", f"Ann{added}"),
        )
        with serving(mailbox) as port:
            deliver(server_at(port), letter)
        (received,) = mailbox.received
        assert received.recipient == "ann@example.com"
        assert received.message["Bcc"] is None
        expected = {"From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"}
        assert set(received.message.keys()) - {"X-Peer"} == expected

    @pytest.mark.parametrize(
        "address",
        [
            "",
            "ann",
            "ann@",
            "@example.com",
            "ann@example.com> SIZE=1",
            "<ann@example.com>\r\nRCPT TO:<eve@example.com>",
            '"a b"@example.com',
            "a..b@example.com",
            "ann@-example.com",
            "änn@example.com",
            "ann@" + "x" * 300 + ".com",
        ],
    )
    def test_unusable_recipient_is_final_and_reaches_no_server(self, mailbox: Mailbox, address: str) -> None:
        with serving(mailbox) as port:
            found = failure(server_at(port), replace(LETTER, recipient=Correspondent(address)))
        assert (found.is_final, found.is_about_message) == (True, True)
        assert mailbox.sign_ins == []

    @pytest.mark.parametrize(
        ("text", "address", "name"),
        [
            ("a@example.com", "a@example.com", ""),
            (" Postern <a@example.com> ", "a@example.com", "Postern"),
            ('"Gate, Postern" <a@example.com>', "a@example.com", "Gate, Postern"),
            ("<a@example.com>", "a@example.com", ""),
            ("a@example.com, b@example.com", "a@example.com, b@example.com", ""),
            ("A <a@example.com> B <b@example.com>", "A <a@example.com> B <b@example.com>", ""),
        ],
    )
    def test_entered_correspondent(self, text: str, address: str, name: str) -> None:
        assert correspondent_in(text) == Correspondent(address, name)

    def test_unusable_sender_is_a_fault_of_the_settings(self, mailbox: Mailbox) -> None:
        with serving(mailbox) as port:
            found = failure(server_at(port), replace(LETTER, sender=Correspondent("postern")))
        assert found.message == "postern is no mail address. Enter the address of the sender under Send user."
        assert (found.is_final, found.is_about_message) == (False, False)


class TestRefusals:
    @pytest.mark.parametrize(("name", "is_final", "code"), [("unknown", True, "550"), ("full", False, "452")])
    def test_refused_recipient_is_final_or_not_as_the_server_says(
        self, mailbox: Mailbox, name: str, code: str, *, is_final: bool
    ) -> None:
        with serving(mailbox) as port:
            found = failure(server_at(port), replace(LETTER, recipient=Correspondent(f"{name}@example.com")))
            deliver(server_at(port))
        assert (found.is_final, found.is_about_message) == (is_final, True)
        assert f"127.0.0.1 does not accept mail for {name}@example.com. Check the address" in found.message
        assert f"It answered: {code} " in found.message
        assert [received.recipient for received in mailbox.received] == ["ann@example.com"]

    @pytest.mark.parametrize(("answer", "is_final"), [("553 Not yours", True), ("451 Later", False)])
    def test_refused_sender(self, mailbox: Mailbox, answer: str, *, is_final: bool) -> None:
        mailbox.sender_answer = answer
        with serving(mailbox) as port:
            found = failure(server_at(port))
        assert (found.is_final, found.is_about_message) == (is_final, True)
        assert found.message.startswith("127.0.0.1 does not accept mail from gate@example.com. Enter a sender")
        assert found.message.endswith(f"It answered: {answer}")

    @pytest.mark.parametrize(("answer", "is_final"), [("554 Spam", True), ("451 Later", False)])
    def test_refused_content(self, mailbox: Mailbox, answer: str, *, is_final: bool) -> None:
        mailbox.content_answer = answer
        with serving(mailbox) as port:
            found = failure(server_at(port))
        assert (found.is_final, found.is_about_message) == (is_final, True)
        assert found.message == f"127.0.0.1 does not accept the message. It answered: {answer}"

    def test_wrong_password_is_sent_once_and_is_not_the_fault_of_the_message(self, mailbox: Mailbox) -> None:
        with serving(mailbox) as port:
            found = failure(server_at(port, password=Secret("wrong")))
        assert found.message.startswith("127.0.0.1 refuses this SMTP account or password.")
        assert (found.is_final, found.is_about_message) == (False, False)
        assert mailbox.sign_ins == [(USER, "wrong")], "servers lock accounts after a few failures"

    def test_server_without_sign_in(self, mailbox: Mailbox) -> None:
        with serving(mailbox, has_sign_in=False) as port:
            found = failure(server_at(port))
        assert "offers no sign-in with a password" in found.message

    @pytest.mark.parametrize(
        ("greeting", "words"),
        [
            (b"554 No service\r\n", "does not accept mail from Postern now. It answered: 554 No service"),
            (b"421 Busy\r\n", "does not accept mail from Postern now. It answered: 421 Busy"),
            (b"SSH-2.0-OpenSSH_9.9\r\n", "is no mail server"),
            (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is no mail server"),
            (b"220-" + b"x" * 100_000 + b"\r\n", "is no mail server"),
        ],
    )
    def test_other_greetings(self, greeting: bytes, words: str) -> None:
        with misbehaving(peer.saying(greeting)) as port:
            found = failure(server_at(port))
        assert words in found.message
        assert not found.is_final

    def test_hung_up(self) -> None:
        with misbehaving(peer.hanging_up) as port:
            assert "closed the connection too early" in failure(server_at(port)).message

    def test_reason_is_said_again_in_another_language(self, mailbox: Mailbox) -> None:
        with serving(mailbox) as port:
            found = failure(server_at(port), replace(LETTER, recipient=Correspondent("unknown@example.com")))
        chinese = said(sentence_from(stored(found.sentence)), "zh-hans")
        assert "unknown@example.com" in chinese
        assert chinese != found.message


class TestEncryption:
    @pytest.mark.parametrize("encryption", [Encryption.TLS, Encryption.STARTTLS])
    @pytest.mark.parametrize(
        ("fault", "words"),
        [
            ("expired", "The certificate of 127.0.0.1 has expired."),
            ("wrong name", "The certificate of the mail server is not for 127.0.0.1."),
            ("unknown authority", "was issued by an authority that this machine does not trust."),
        ],
    )
    def test_certificate_that_cannot_be_verified_ends_it_before_the_password(
        self,
        mailbox: Mailbox,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        encryption: Encryption,
        *,
        fault: str,
        words: str,
    ) -> None:
        name = "other.example.com" if fault == "wrong name" else "127.0.0.1"
        certificate = make_certificate(tmp_path / "a", name=name, has_expired=fault == "expired")
        trusted = make_certificate(tmp_path / "b") if fault == "unknown authority" else certificate
        trust(monkeypatch, trusted.authority)
        with serving_with(certificate, encryption, mailbox) as port:
            found = failure(server_at(port, encryption))
        assert words in found.message
        assert (found.is_final, found.is_about_message) == (False, False)
        assert mailbox.sign_ins == []
        assert mailbox.received == []

    def test_server_without_ssl_on_the_ssl_port_is_reported(self, mailbox: Mailbox) -> None:
        with serving(mailbox) as port:
            found = failure(server_at(port, Encryption.TLS))
        assert "does not use TLS on port" in found.message
        assert mailbox.sign_ins == []

    def test_server_without_starttls_gets_no_password(self, mailbox: Mailbox) -> None:
        with serving(mailbox) as port:
            found = failure(server_at(port, Encryption.STARTTLS))
        assert "does not offer STARTTLS" in found.message
        assert mailbox.sign_ins == []

    def test_password_is_not_sent_unencrypted_to_another_machine(self) -> None:
        server = server_at(25, host="192.0.2.1")
        found = failure(server, limit_s=5)
        assert found.message == "The password is not sent without encryption. Choose SSL or TLS."


class TestTime:
    @pytest.mark.parametrize(
        ("behave", "encryption", "words"),
        [
            (peer.silent, Encryption.NONE, "sent no greeting within 1 seconds"),
            (peer.dripping, Encryption.NONE, "sent no greeting within 1 seconds"),
            (peer.silent, Encryption.STARTTLS, "sent no greeting within 1 seconds"),
            (peer.silent, Encryption.TLS, "did not begin TLS on port"),
            (peer.dripping_answers, Encryption.NONE, "did not finish the conversation within 1 seconds"),
            (peer.dripping_answers, Encryption.STARTTLS, "did not finish the conversation within 1 seconds"),
        ],
    )
    def test_one_deadline_covers_everything(
        self, behave: Callable[[socket.socket], None], encryption: Encryption, words: str
    ) -> None:
        with misbehaving(behave) as port:
            started_s = monotonic_s()
            found = failure(server_at(port, encryption), limit_s=1)
            took_s = monotonic_s() - started_s
        assert words in found.message
        assert (found.is_final, found.is_about_message) == (False, False)
        assert 0.9 < took_s < 6

    def test_silence_after_starttls(self) -> None:
        def behave(connection: socket.socket) -> None:
            connection.sendall(b"220 hi\r\n")
            connection.recv(100)
            connection.sendall(b"250-hi\r\n250 STARTTLS\r\n")
            connection.recv(100)
            connection.sendall(b"220 go\r\n")
            peer.silent(connection)

        with misbehaving(behave) as port:
            assert "did not begin TLS" in failure(server_at(port, Encryption.STARTTLS), limit_s=1).message


class TestAddresses:
    def test_refused_connection(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        assert f"refuses connections to port {port}" in failure(server_at(port)).message

    def test_unknown_name(self) -> None:
        found = failure(server_at(25, host="mail.invalid"))
        assert found.message.startswith("The name mail.invalid cannot be resolved.")

    @pytest.mark.parametrize("host", ["169.254.169.254", "100.100.100.200", "::ffff:169.254.169.254"])
    def test_metadata_service_is_refused(self, host: str) -> None:
        assert "metadata service" in failure(server_at(587, Encryption.STARTTLS, host=host)).message

    def test_own_service_is_refused(self) -> None:
        port = settings.POSTERN.http.port
        assert "own services" in failure(server_at(port)).message

    def test_this_machine_is_reached_on_ports_of_mail_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(settings, "POSTERN", replace(settings.POSTERN, allow_local_targets=False))
        for port in (25, 465, 587):
            assert outbound.check_mail_server("127.0.0.1", port).port == port
        for port in (22, 2525, 6379):
            with pytest.raises(outbound.TargetRefused):
                outbound.check_mail_server("127.0.0.1", port)

    def test_blocked_network_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            settings, "POSTERN", replace(settings.POSTERN, blocked_networks=(ip_network("192.0.2.0/24"),))
        )
        with pytest.raises(outbound.TargetRefused):
            outbound.check_mail_server("192.0.2.1", 587)
