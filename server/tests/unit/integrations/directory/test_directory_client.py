"""The client of directories against a real slapd, and against servers that misbehave."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings
from django.utils import translation

from peers.certificates import Certificate, make_certificate
from peers.ldap_answers import entry, message, result
from peers.mail_server import misbehaving, silent
from peers.slapd import BASE, PARTNERS, ROOT_DN, ROOT_PASSWORD, STAFF, Slapd, Someone, serving
from postern.foundation.network import outbound
from postern.integrations.directory import ber, messages
from postern.integrations.directory.client import Conversation, Search, converse
from postern.integrations.directory.failures import DirectoryFailed
from postern.integrations.directory.filters import equals, parsed
from postern.integrations.directory.messages import Entry, Result
from postern.integrations.directory.server import DirectoryServer, Encryption, address_in
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret

PEOPLE: Final = tuple(
    Someone(f"user{number:04}", f"李 {number}", base=STAFF if number % 2 else PARTNERS) for number in range(2300)
)
ODD: Final = Someone("o'brien+x", "Ó\u2019Brien")
ATTRIBUTES: Final = ("uid", "sn", "mail", "entryUUID")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def slapd(certificate: Certificate) -> Iterator[Slapd]:
    with serving([*PEOPLE, ODD], certificate=certificate) as server:
        yield server


def server_at(port: int, **more: Any) -> DirectoryServer:
    return DirectoryServer(
        **{
            "host": "127.0.0.1",
            "port": port,
            "encryption": Encryption.NONE,
            "bind_dn": ROOT_DN,
            "password": Secret(ROOT_PASSWORD),
            **more,
        }
    )


def all_below(base: str, text: str = "(uid=%(user)s)", username: str | None = None) -> Search:
    return Search(base, parsed(text).encoded(username), ATTRIBUTES)


def read(server: DirectoryServer, search: Search, *, limit_s: float = 20) -> list[Entry]:
    async def talk(conversation: Conversation) -> list[Entry]:
        await conversation.bind()
        return [entry async for entry in conversation.entries(search)]

    return converse(server, talk, check=outbound.check_directory_server, limit_s=limit_s)


def try_password(server: DirectoryServer, dn: str, password: str) -> Result:
    async def talk(conversation: Conversation) -> Result:
        return await conversation.try_password(dn, Secret(password))

    return converse(server, talk, check=outbound.check_directory_server, limit_s=20)


def failure(server: DirectoryServer, *, base: str = BASE, limit_s: float = 20) -> DirectoryFailed:
    with pytest.raises(DirectoryFailed) as caught:
        read(server, all_below(base), limit_s=limit_s)
    assert ROOT_PASSWORD.strip() not in str(caught.value)
    return caught.value


def encrypted(slapd: Slapd, certificate: Certificate, encryption: Encryption) -> DirectoryServer:
    port = slapd.tls_port if encryption is Encryption.TLS else slapd.port
    return server_at(port, encryption=encryption, authorities=certificate.authority.read_text(encoding="ascii"))


class TestReading:
    @pytest.mark.parametrize("encryption", list(Encryption))
    def test_all_pages_are_read_over_every_encryption(
        self, slapd: Slapd, certificate: Certificate, encryption: Encryption
    ) -> None:
        found = read(encrypted(slapd, certificate, encryption), all_below(BASE, "(&(objectClass=person)(uid=user*))"))
        assert sorted(entry.text("uid") for entry in found) == [one.username for one in PEOPLE]
        first = next(entry for entry in found if entry.text("uid") == "user0001")
        assert (first.text("sn"), first.text("MAIL")) == ("李 1", "user0001@example.com")
        assert len(first.text("entryUUID")) == 36

    def test_search_stays_below_its_base(self, slapd: Slapd) -> None:
        found = read(server_at(slapd.port), all_below(PARTNERS))
        assert len(found) == len(PEOPLE) // 2
        assert all(entry.dn.endswith(PARTNERS) for entry in found)

    def test_pages_pass_the_limit_that_a_server_has_for_one_answer(self) -> None:
        with serving(PEOPLE[:30], size_limit=20) as small:
            anonymous = server_at(small.port, bind_dn="", password=None)
            assert len(read(anonymous, all_below(BASE))) == 30

    def test_unknown_base_is_named(self, slapd: Slapd) -> None:
        assert (
            "has no search base ou=nobody,dc=example,dc=com"
            in failure(server_at(slapd.port), base=f"ou=nobody,{BASE}").message
        )

    @pytest.mark.parametrize(
        "name", ["*", "*)(uid=*", "user0001)(objectClass=*", "user000*", "\\2a", "a\x00b", "(", ")"]
    )
    def test_name_is_a_value_and_never_part_of_the_filter(self, slapd: Slapd, name: str) -> None:
        assert read(server_at(slapd.port), all_below(BASE, "(|(uid=%(user)s)(cn=x%(user)s))", name)) == []

    def test_odd_names_are_found(self, slapd: Slapd) -> None:
        (found,) = read(server_at(slapd.port), all_below(BASE, username=ODD.username))
        assert found.text("sn") == ODD.name


class TestPasswords:
    def test_right_and_wrong(self, slapd: Slapd) -> None:
        server = server_at(slapd.port)
        assert try_password(server, PEOPLE[0].dn, PEOPLE[0].password).code == 0
        assert try_password(server, PEOPLE[0].dn, "wrong").code == messages.INVALID_CREDENTIALS
        assert try_password(server, f"uid=nobody,{BASE}", "wrong").code == messages.INVALID_CREDENTIALS

    def test_empty_password_is_refused_before_it_is_sent(self) -> None:
        """A server takes a bind without a password as anonymous, and says yes."""
        heard = bytearray()

        def behave(connection: socket.socket) -> None:
            while data := connection.recv(100):
                heard.extend(data)

        with misbehaving(behave) as port:
            assert try_password(server_at(port), PEOPLE[0].dn, "").code == messages.UNWILLING
        assert b"uid=" not in heard

    def test_wrong_account_of_the_settings_is_named(self, slapd: Slapd) -> None:
        found = failure(server_at(slapd.port, password=Secret("wrong")))
        assert "refused the bind DN or its password (49 invalidCredentials)" in found.message


class TestEncryption:
    @pytest.mark.parametrize("encryption", [Encryption.TLS, Encryption.STARTTLS])
    def test_unknown_authority(self, slapd: Slapd, certificate: Certificate, encryption: Encryption) -> None:
        found = failure(replace(encrypted(slapd, certificate, encryption), authorities=""))
        assert "issued by an authority that is not trusted" in found.message

    @pytest.mark.parametrize(
        ("more", "words"), [({"has_expired": True}, "has expired"), ({"name": "other.example"}, "is not for 127.0.0.1")]
    )
    def test_expired_and_wrong_name(self, tmp_path: Path, more: dict[str, Any], words: str) -> None:
        wrong = make_certificate(tmp_path, **more)
        with serving(certificate=wrong) as server:
            assert words in failure(encrypted(server, wrong, Encryption.TLS)).message

    def test_authority_that_is_no_certificate(self, slapd: Slapd) -> None:
        found = failure(server_at(slapd.tls_port, encryption=Encryption.TLS, authorities="not a certificate"))
        assert "Paste it in PEM format" in found.message

    def test_tls_to_the_plain_port(self, slapd: Slapd, certificate: Certificate) -> None:
        server = encrypted(slapd, certificate, Encryption.TLS)
        assert failure(replace(server, port=slapd.port)).message.startswith("127.0.0.1")

    def test_server_without_starttls(self) -> None:
        with serving() as server:
            found = failure(server_at(server.port, encryption=Encryption.STARTTLS))
        assert "does not offer StartTLS" in found.message

    def test_bytes_behind_the_answer_to_starttls_are_refused(self, certificate: Certificate) -> None:
        """CVE-2011-0411: they would be read as if they had come encrypted."""

        def behave(connection: socket.socket) -> None:
            connection.recv(4096)
            connection.sendall(result(messages.EXTENDED_RESPONSE, 1) + result(messages.BIND_RESPONSE, 2))
            silent(connection)

        with misbehaving(behave) as port:
            server = server_at(port, encryption=Encryption.STARTTLS)
            assert "does not answer as a directory server" in failure(server).message

    def test_nothing_is_sent_in_clear_to_another_machine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        server = server_at(389, host="192.0.2.7")
        assert "without encryption" in failure(server).message


class TestAddresses:
    def test_blocked_networks_are_not_dialled(self, slapd: Slapd, monkeypatch: pytest.MonkeyPatch) -> None:
        config = replace(settings.POSTERN, blocked_networks=(ip_network("127.0.0.0/8"),))
        monkeypatch.setattr(settings, "POSTERN", config)
        assert "POSTERN_BLOCKED_NETWORKS" in failure(server_at(slapd.port)).message

    def test_this_machine_is_dialled_on_ports_of_directories_only(
        self, slapd: Slapd, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(settings, "POSTERN", replace(settings.POSTERN, allow_local_targets=False))
        assert "POSTERN_ALLOW_LOCAL_TARGETS" in failure(server_at(slapd.port)).message
        assert outbound.check_directory_server("127.0.0.1", 636).port == 636

    def test_closed_port_and_unknown_name(self) -> None:
        assert "refuses connections to port 1." in failure(server_at(1)).message
        assert "cannot be resolved" in failure(server_at(389, host="directory.invalid")).message

    @pytest.mark.parametrize(
        ("uri", "address"),
        [
            ("ldap://dc1.example.com", ("ldap", "dc1.example.com", 389)),
            (" LDAPS://DC1.example.com/ ", ("ldaps", "dc1.example.com", 636)),
            ("ldap://[::1]:3268", ("ldap", "::1", 3268)),
            ("http://dc1.example.com", None),
            ("ldap://", None),
            ("ldap://a b", None),
            ("ldap://dc1/dc=example", None),
            ("ldap://user:x@dc1", None),
            ("ldap://dc1:99999", None),
        ],
    )
    def test_addresses(self, uri: str, address: tuple[str, str, int] | None) -> None:
        assert address_in(uri) == address


def _bound(connection: socket.socket) -> None:
    connection.recv(4096)
    connection.sendall(result(messages.BIND_RESPONSE, 1))
    connection.recv(4096)


def _drip(connection: socket.socket) -> None:
    for byte in b"\x30\x84\x00\x01\x00\x00" + b"\x02" * 10_000:
        connection.sendall(bytes([byte]))
        time.sleep(0.1)


def _silent_in_mid_search(connection: socket.socket) -> None:
    _bound(connection)
    connection.sendall(entry(2, "uid=a", uid=["a"]))
    silent(connection)


def _slow_entries(connection: socket.socket) -> None:
    _bound(connection)
    while True:
        connection.sendall(entry(2, "uid=a", uid=["a"]))
        time.sleep(0.1)


def _flood(connection: socket.socket) -> None:
    _bound(connection)
    while True:
        connection.sendall(entry(2, "uid=a", uid=["a"]) * 100)


def _huge_length(connection: socket.socket) -> None:
    _bound(connection)
    connection.sendall(b"\x30\x84\x7f\xff\xff\xff")
    silent(connection)


def _silent_after_starttls(connection: socket.socket) -> None:
    connection.recv(4096)
    connection.sendall(result(messages.EXTENDED_RESPONSE, 1))
    silent(connection)


def _endless_pages(connection: socket.socket) -> None:
    connection.recv(4096)
    connection.sendall(result(messages.BIND_RESPONSE, 1))
    number = 1
    value = ber.element(ber.SEQUENCE, ber.integer(0), ber.octets("again"))
    control = ber.element(0xA0, ber.element(ber.SEQUENCE, ber.octets("1.2.840.113556.1.4.319"), ber.octets(value)))
    while connection.recv(4096):
        number += 1
        done = ber.element(messages.SEARCH_DONE, ber.integer(0, ber.ENUMERATED), ber.octets(""), ber.octets(""))
        connection.sendall(ber.element(ber.SEQUENCE, ber.integer(number), done, control))


def _pages_ahead(connection: socket.socket) -> None:
    """Answers to searches that have not been asked yet, faster than they can be read."""
    connection.recv(4096)
    connection.sendall(result(messages.BIND_RESPONSE, 1))
    value = ber.element(ber.SEQUENCE, ber.integer(0), ber.octets("again"))
    control = ber.element(0xA0, ber.element(ber.SEQUENCE, ber.octets("1.2.840.113556.1.4.319"), ber.octets(value)))
    done = ber.element(messages.SEARCH_DONE, ber.integer(0, ber.ENUMERATED), ber.octets(""), ber.octets(""))
    for number in range(2, 1_000):
        ending = ber.element(ber.SEQUENCE, ber.integer(number), done, control)
        connection.sendall(entry(number, "uid=a", uid=["x"] * 50_000) * 10 + ending)


@pytest.mark.parametrize(
    ("behave", "encryption"),
    [
        (silent, Encryption.NONE),
        (silent, Encryption.TLS),
        (_silent_after_starttls, Encryption.STARTTLS),
        (_drip, Encryption.NONE),
        (_silent_in_mid_search, Encryption.NONE),
        (_slow_entries, Encryption.NONE),
        (_flood, Encryption.NONE),
        (_huge_length, Encryption.NONE),
        (_endless_pages, Encryption.NONE),
        (_pages_ahead, Encryption.NONE),
    ],
)
def test_hostile_server_is_left_at_the_deadline(
    behave: Callable[[socket.socket], None], encryption: Encryption
) -> None:
    with misbehaving(behave) as port:
        began = monotonic_s()
        found = failure(server_at(port, encryption=encryption), limit_s=1.5)
    assert monotonic_s() - began < 2.5
    assert found.sentence.code in {"directory.timeout", "directory.too_much"}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "directory.not_ldap"),
        (b"\x30\x80", "directory.not_ldap"),  # an indefinite length
        (b"\x30\x85\x00\x00\x00\x00\x01", "directory.not_ldap"),  # five length bytes
        (b"\x30\x03\x02\x01\x01", "directory.not_ldap"),
        (result(messages.BIND_RESPONSE, 7), "directory.not_ldap"),  # a foreign number
        (result(messages.SEARCH_DONE, 1), "directory.not_ldap"),
        (result(messages.EXTENDED_RESPONSE, 0), "directory.connection_lost"),  # notice of disconnection
        (b"", "directory.connection_lost"),
    ],
)
def test_answers_that_are_not_ldap(answer: bytes, code: str) -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(answer)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        silent(connection)

    with misbehaving(behave) as port:
        assert failure(server_at(port)).sentence.code == code


def test_ranges_of_active_directory_are_read_to_the_end() -> None:
    """AD cuts `member` at 1,500 values."""
    members = [f"cn={number}" for number in range(3700)]

    def behave(connection: socket.socket) -> None:
        _bound(connection)
        group = entry(2, "cn=g", **{"cn": ["g"], "member;range=0-1499": members[:1500]})
        connection.sendall(group + result(messages.SEARCH_DONE, 2))
        for number, (first, last) in enumerate([(1500, "2999"), (3000, "*")], start=3):
            assert f"member;range={first}-*".encode() in connection.recv(4096)
            rest = members[first:] if last == "*" else members[first : int(last) + 1]
            part = entry(number, "cn=g", **{f"member;range={first}-{last}": rest})
            connection.sendall(part + result(messages.SEARCH_DONE, number))
        silent(connection)

    with misbehaving(behave) as port:
        (group,) = read(server_at(port), Search("cn=g", equals("cn", "g"), ("cn", "member")))
    assert list(group.texts("member")) == members
    assert set(group.attributes) == {"cn", "member"}


def test_entries_come_before_their_page_has_ended() -> None:
    """So a page of large entries never waits in memory."""

    def behave(connection: socket.socket) -> None:
        _bound(connection)
        connection.sendall(entry(2, "uid=a", uid=["a"]))
        silent(connection)

    async def talk(conversation: Conversation) -> str:
        await conversation.bind()
        async for one in conversation.entries(all_below(BASE)):
            return one.dn
        return ""

    with misbehaving(behave) as port:
        assert converse(server_at(port), talk, check=outbound.check_directory_server, limit_s=5) == "uid=a"


def test_group_of_a_hundred_thousand_is_read() -> None:
    """OpenLDAP sends it in one message of 7 MB."""
    members = [f"uid=user{number:06},ou=people,ou=headquarters,dc=company,dc=com" for number in range(100_000)]

    def behave(connection: socket.socket) -> None:
        _bound(connection)
        connection.sendall(entry(2, "cn=g", cn=["g"], member=members) + result(messages.SEARCH_DONE, 2))
        silent(connection)

    with misbehaving(behave) as port:
        (group,) = read(server_at(port), Search("cn=g", equals("cn", "g"), ("cn", "member")))
    assert group.texts("member")[-1] == members[-1]


def test_referrals_are_never_followed(slapd: Slapd) -> None:
    """K36: a referral would carry the password to an address that nobody chose."""
    dialled: list[int] = []

    def elsewhere(connection: socket.socket) -> None:
        dialled.append(1)

    with misbehaving(elsewhere) as foreign:

        def behave(connection: socket.socket) -> None:
            _bound(connection)
            uri = ber.octets(f"ldap://127.0.0.1:{foreign}/dc=example")
            connection.sendall(message(2, ber.element(messages.SEARCH_REFERENCE, uri)))
            connection.sendall(entry(2, "uid=a", uid=["a"]) + result(messages.SEARCH_DONE, 2))
            silent(connection)

        with misbehaving(behave) as port:
            (found,) = read(server_at(port), all_below(BASE))
    assert found.text("uid") == "a"
    assert dialled == []


@pytest.mark.parametrize("code", [3, 4, 10, 11, 32, 51, 53])
def test_search_with_another_result_than_success_fails(code: int) -> None:
    def behave(connection: socket.socket) -> None:
        _bound(connection)
        connection.sendall(entry(2, "uid=a", uid=["a"]) + result(messages.SEARCH_DONE, 2, code))
        silent(connection)

    with misbehaving(behave) as port:
        failure(server_at(port))


def test_server_that_requires_signing_is_answered_with_ldaps() -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(result(messages.BIND_RESPONSE, 1, 8))
        silent(connection)

    with misbehaving(behave) as port:
        assert "Use ldaps://" in failure(server_at(port)).message
