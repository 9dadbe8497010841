"""LDAP settings, their tests, the list of people, import and synchronisation, with a real slapd."""

import json
import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import pytest
from django.utils import translation
from rest_framework.test import APIClient

from peers.certificates import make_certificate
from peers.ldap_answers import entry, result
from peers.mail_server import misbehaving, silent
from peers.slapd import BASE, PARTNERS, ROOT_DN, ROOT_PASSWORD, STAFF, Slapd, Someone, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.directory import cache, reading, staging
from postern.apps.directory.models import DirectoryEntry, DirectoryIdentity, DirectoryState, Outcome
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import Membership, Source, User
from postern.integrations.directory import client as directory_client
from postern.integrations.directory import messages
from postern.kernel.ids import DEFAULT_ORG_ID
from postern.kernel.sentences import Sentence

pytestmark = pytest.mark.django_db

FORM: Final = "/api/v1/settings/setting/?category=ldap"
CONFIG: Final = "/api/v1/settings/ldap/testing/config/"
LOGIN: Final = "/api/v1/settings/ldap/testing/login/"
USERS: Final = "/api/v1/settings/ldap/users/?cache_police=1"
REFRESH: Final = "/api/v1/settings/ldap/cache/refresh/"
IMPORT: Final = "/api/v1/settings/ldap/users/import/"
SYNC: Final = "/api/v1/settings/ldap/sync/"

ANN: Final = Someone("ann", "Ann Lee")
BOB: Final = Someone("bob", "Bob", base=PARTNERS)
CAT: Final = Someone("cat", "李 猫", mail="")
CROWD: Final = tuple(Someone(f"p{number:02}") for number in range(20))


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture
def slapd() -> Iterator[Slapd]:
    with serving([ANN, BOB, CAT, *CROWD]) as server:
        yield server


def values(server: Slapd, **more: Any) -> dict[str, Any]:
    return {
        "AUTH_LDAP_SERVER_URI": server.uri,
        "AUTH_LDAP_BIND_DN": ROOT_DN,
        "AUTH_LDAP_BIND_PASSWORD": ROOT_PASSWORD,
        "AUTH_LDAP_SEARCH_OU": f"{STAFF} | {PARTNERS}",
        "AUTH_LDAP_SEARCH_FILTER": "(&(objectClass=inetOrgPerson)(uid=%(user)s))",
        "AUTH_LDAP_USER_ATTR_MAP": {"username": "uid", "name": "sn", "email": "mail"},
        "AUTH_LDAP": True,
        **more,
    }


def save(client: APIClient, server: Slapd, **more: Any) -> None:
    answer = client.patch(FORM, values(server, **more), format="json")
    assert answer.status_code == 200, answer.content


def read(client: APIClient, server: Slapd, **more: Any) -> None:
    save(client, server, **more)
    assert reading.run_due()


def post(client: APIClient, url: str, body: Any) -> Any:
    return client.post(url, body, format="json", headers={"Accept-Language": "en"})


class TestForm:
    def test_map_is_an_object_and_text_is_accepted(self, as_admin: APIClient) -> None:
        assert as_admin.get(FORM).json()["AUTH_LDAP_USER_ATTR_MAP"] == {"username": "cn", "name": "sn", "email": "mail"}
        for sent in ({"username": "uid", "name": "cn"}, json.dumps({"username": "uid", "name": "cn"})):
            answer = as_admin.patch(FORM, {"AUTH_LDAP_USER_ATTR_MAP": sent}, format="json")
            assert answer.json()["AUTH_LDAP_USER_ATTR_MAP"] == {"username": "uid", "name": "cn"}

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("AUTH_LDAP_SERVER_URI", "http://dc1"),
            ("AUTH_LDAP_SEARCH_FILTER", "(uid=x)"),
            ("AUTH_LDAP_SEARCH_FILTER", "(uid=%(user)s"),
            ("AUTH_LDAP_GROUP_FILTER", "(cn=%(user)s)"),
            ("AUTH_LDAP_CA_CERTIFICATE", "no certificate"),
            ("AUTH_LDAP_USER_ATTR_MAP", []),
            ("AUTH_LDAP_USER_ATTR_MAP", "{"),
            ("AUTH_LDAP_USER_ATTR_MAP", {"username": "uid"}),
            ("AUTH_LDAP_USER_ATTR_MAP", {"username": "uid", "name": "cn", "role": "title"}),
            ("AUTH_LDAP_USER_ATTR_MAP", {"username": "uid)(", "name": "cn"}),
            ("AUTH_LDAP_USER_ATTR_MAP", {"username": {}, "name": "cn"}),
        ],
    )
    def test_invalid_values_are_refused_at_their_field(self, as_admin: APIClient, name: str, value: Any) -> None:
        answer = as_admin.patch(FORM, {name: value}, format="json")
        assert answer.status_code == 400
        assert list(answer.json()) == [name]

    @pytest.mark.parametrize("change", [{"AUTH_LDAP_SERVER_URI": "ldap://evil.test"}, {"AUTH_LDAP_BIND_DN": "cn=x"}])
    def test_stored_password_is_not_used_for_another_server_or_account(
        self, as_admin: APIClient, slapd: Slapd, change: dict[str, str]
    ) -> None:
        save(as_admin, slapd)
        assert as_admin.patch(FORM, change, format="json").json().keys() == {"AUTH_LDAP_BIND_PASSWORD"}
        answer = post(as_admin, CONFIG, change)
        assert answer.status_code == 400
        assert "Enter the password" in answer.json()["error"]
        assert ROOT_PASSWORD.strip() not in answer.content.decode()


class TestTests:
    @pytest.mark.spec("S7-016")
    def test_unsaved_values_are_tested(self, as_admin: APIClient, slapd: Slapd) -> None:
        answer = post(as_admin, CONFIG, values(slapd))
        assert answer.status_code == 200, answer.content
        assert answer.json().startswith("The connection works: 23 people were found, for example ann (Ann Lee, ")
        assert not preferences.is_set("AUTH_LDAP_SERVER_URI")
        record = AuditEvent.objects.get(event="settings.ldap_tested")
        assert record.new is not None
        assert record.new["accepted"] is True
        assert ROOT_PASSWORD.strip() not in json.dumps(record.new)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"AUTH_LDAP_BIND_PASSWORD": "wrong"}, "refused the bind DN or its password"),
            ({"AUTH_LDAP_SEARCH_OU": ""}, "Enter the search base"),
            ({"AUTH_LDAP_SEARCH_OU": f"ou=no,{BASE}"}, "has no search base"),
            ({"AUTH_LDAP_SEARCH_FILTER": "(title=%(user)s)"}, "nobody was found"),
            ({"AUTH_LDAP_SERVER_URI": "ldap://127.0.0.1:1"}, "refuses connections to port 1"),
            ({"AUTH_LDAP_START_TLS": True}, "does not offer StartTLS"),
            ({"AUTH_LDAP_SERVER_URI": "ldap://192.0.2.1"}, "without encryption"),
        ],
    )
    @pytest.mark.spec("S7-016")
    def test_failures_say_what_to_change(
        self, as_admin: APIClient, slapd: Slapd, change: dict[str, Any], words: str
    ) -> None:
        answer = post(as_admin, CONFIG, values(slapd, **change))
        assert answer.status_code == 400
        assert words in answer.json()["error"]

    def test_certificate_in_the_form_is_trusted(self, as_admin: APIClient, tmp_path: Any) -> None:
        certificate = make_certificate(tmp_path)
        with serving([ANN], certificate=certificate) as server:
            body = values(server, AUTH_LDAP_SERVER_URI=server.tls_uri)
            assert "not trusted" in post(as_admin, CONFIG, body).json()["error"]
            body["AUTH_LDAP_CA_CERTIFICATE"] = certificate.authority.read_text(encoding="ascii")
            assert post(as_admin, CONFIG, body).status_code == 200

    @pytest.mark.spec("S7-017")
    def test_sign_in_is_tested_before_it_is_switched_on(self, as_admin: APIClient, slapd: Slapd) -> None:
        save(as_admin, slapd, AUTH_LDAP=False)
        answer = post(as_admin, LOGIN, {"username": "ann", "password": ANN.password})
        assert answer.status_code == 200
        assert "The sign-in of ann works" in answer.json()
        for body, words in [
            ({"username": "ann", "password": "wrong"}, "49 invalidCredentials"),
            ({"username": "nobody", "password": "x"}, "finds nobody"),
            ({"username": "*", "password": "x"}, "finds nobody"),
        ]:
            refused = post(as_admin, LOGIN, body)
            assert refused.status_code == 400
            assert words in refused.json()["error"]
        assert ANN.password not in json.dumps(list(AuditEvent.objects.values_list("new", "old")))
        assert not User.objects.filter(username="ann").exists()

    @pytest.mark.parametrize("url", [CONFIG, LOGIN, IMPORT, SYNC, REFRESH])
    def test_only_super_administrators(self, as_org_admin: APIClient, as_user: APIClient, url: str) -> None:
        for client in (as_org_admin, as_user):
            assert post(client, url, {}).status_code == 403


class TestList:
    @pytest.mark.spec("S7-022")
    def test_list_is_read_by_the_worker(self, as_admin: APIClient, slapd: Slapd) -> None:
        save(as_admin, slapd)  # saving starts the first reading
        waiting = as_admin.get(USERS)
        assert (waiting.status_code, list(waiting.json())) == (409, ["msg"])
        assert reading.run_due()
        assert not reading.run_due()
        answer = as_admin.get(f"{USERS}&limit=2&offset=0&search=&order=username").json()
        assert answer["count"] == 23
        assert [row["id"] for row in answer["results"]] == ["ann", "bob"]
        first = answer["results"][0]
        assert (first["username"], first["name"], first["email"]) == ("ann", "Ann Lee", "ann@example.com")
        assert (first["existing"], first["groups"]) == (False, [])
        rows = as_admin.get(f"{USERS}&limit=5&offset=0&search=李").json()["results"]
        assert [row["username"] for row in rows] == ["cat"]
        assert as_admin.get(f"{USERS}&limit=1&offset=0&order=-username").json()["results"][0]["username"] == "p19"

    @pytest.mark.spec("S7-018", "S7-021")
    def test_refresh_reads_again(self, as_admin: APIClient, slapd: Slapd) -> None:
        read(as_admin, slapd)
        slapd.delete(BOB)
        for call in (as_admin.get, as_admin.post):
            assert call(REFRESH).json() == {"msg": "success"}
            assert reading.run_due()
        assert not DirectoryEntry.objects.filter(username="bob").exists()

    def test_failed_reading_keeps_the_list_and_is_reported(self, as_admin: APIClient, slapd: Slapd) -> None:
        read(as_admin, slapd)
        slapd.stop()
        post(as_admin, SYNC, {})
        assert reading.run_due()
        assert DirectoryEntry.objects.count() == 23
        state = as_admin.get(SYNC, headers={"Accept-Language": "en"}).json()
        assert state["outcome"] == "failed"
        assert "refuses connections" in state["reason"]
        assert state["is_reading"] is False

    def test_missing_settings_are_named_in_the_language_of_the_reader(self, as_admin: APIClient, slapd: Slapd) -> None:
        save(as_admin, slapd, AUTH_LDAP_SEARCH_OU="")
        post(as_admin, SYNC, {})
        with translation.override("zh-hans"):  # the worker has the language of the installation
            assert reading.run_due()
        assert "Enter the search base" in as_admin.get(SYNC, headers={"Accept-Language": "en"}).json()["reason"]
        assert "搜索起点" in as_admin.get(SYNC, headers={"Accept-Language": "zh-CN"}).json()["reason"]

    def test_claim_of_a_killed_worker_expires(self, as_admin: APIClient, slapd: Slapd) -> None:
        save(as_admin, slapd)
        claim = reading._claim()
        assert claim is not None
        assert not reading.run_due(), "another worker holds the claim"
        DirectoryState.objects.update(date_claimed_until=claim.began - timedelta(seconds=1))
        assert reading.run_due(), "the reading is repeated"
        assert not reading.run_due()

    def test_reading_of_a_killed_worker_is_repeated_with_the_same_options(
        self, as_admin: APIClient, slapd: Slapd
    ) -> None:
        read(as_admin, slapd)
        post(as_admin, IMPORT, {"username_list": ["ann", "bob"]})
        slapd.delete(BOB)
        post(as_admin, SYNC, {"accept_fall": True})
        claim = reading._claim()
        assert claim is not None
        assert as_admin.get(SYNC).json()["is_reading"] is True
        DirectoryState.objects.update(date_claimed_until=claim.began - timedelta(seconds=1))
        assert reading.run_due()
        assert (reading.state().outcome, reading.state().counts["disabled"]) == ("succeeded", 1)
        assert not reading.run_due()

    def test_request_during_a_reading_starts_another_reading(self, as_admin: APIClient, slapd: Slapd) -> None:
        """The next reading does not inherit the options of the running reading."""
        read(as_admin, slapd)
        post(as_admin, SYNC, {"accept_fall": True})
        claim = reading._claim()
        assert claim is not None
        post(as_admin, SYNC, {})
        reading._end(claim, Outcome.SUCCEEDED, Sentence())
        following = reading._claim()
        assert following is not None
        assert (following.with_users, following.accepts_fall) == (True, False)

    def test_worker_without_its_claim_stops_writing(
        self, as_admin: APIClient, slapd: Slapd, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        save(as_admin, slapd)
        monkeypatch.setattr(reading, "_renew", lambda _claim: False)
        assert reading.run_due()
        assert DirectoryEntry.objects.count() == 0

    def test_hanging_directory_ends_with_the_deadline(
        self, as_admin: APIClient, slapd: Slapd, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reading, "LIMIT_S", 1.0)
        with misbehaving(silent) as port:
            read(as_admin, slapd, AUTH_LDAP_SERVER_URI=f"ldap://127.0.0.1:{port}")
        assert reading.state().outcome == "failed"

    @pytest.mark.parametrize(
        ("manner", "words"),
        [("in one answer", "sent more than was asked for"), ("page by page", "has more than 15 entries")],
    )
    def test_directory_with_far_too_many_people_changes_nothing(
        self, as_admin: APIClient, slapd: Slapd, monkeypatch: pytest.MonkeyPatch, manner: str, words: str
    ) -> None:
        read(as_admin, slapd)
        post(as_admin, IMPORT, {"username_list": ["ann", "p01"]})
        slapd.delete(Someone("p01"))
        before = sorted(DirectoryEntry.objects.values_list("username", "digest"))

        def hundred_thousand(connection: socket.socket) -> None:
            connection.recv(4096)
            connection.sendall(result(messages.BIND_RESPONSE, 1))
            connection.recv(4096)
            for first in range(0, 100_000, 100):
                rows = (entry(2, f"uid=x{n}", uid=[f"x{n}"], sn=["X"]) for n in range(first, first + 100))
                connection.sendall(b"".join(rows))

        with misbehaving(hundred_thousand) as port:
            if manner == "in one answer":
                save(as_admin, slapd, AUTH_LDAP_SERVER_URI=f"ldap://127.0.0.1:{port}")
            else:
                monkeypatch.setattr(directory_client, "PAGE_SIZE", 10)
                monkeypatch.setattr(directory_client, "MAX_ENTRIES", 15)
            post(as_admin, SYNC, {})
            assert reading.run_due()
        state = as_admin.get(SYNC, headers={"Accept-Language": "en"}).json()
        assert state["outcome"] == "failed"
        assert words in state["reason"]
        assert "Narrow the search base or the filter" in state["reason"]
        assert sorted(DirectoryEntry.objects.values_list("username", "digest")) == before
        assert User.objects.filter(source=Source.LDAP, is_active=True).count() == 2


class TestImport:
    @pytest.mark.spec("S7-023")
    def test_people_become_users_once(self, as_admin: APIClient, slapd: Slapd) -> None:
        slapd.add(Someone("王伟", "王伟", mail=""))
        read(as_admin, slapd)
        answer = post(as_admin, IMPORT, {"username_list": ["ann", "cat", "王伟"], "org_id": str(DEFAULT_ORG_ID)})
        assert answer.status_code == 200, answer.content
        ann, cat = User.objects.get(username="ann"), User.objects.get(username="cat")
        assert (ann.name, ann.email, ann.source, ann.role) == ("Ann Lee", "ann@example.com", Source.LDAP, "User")
        assert cat.email == "cat@directory.invalid"
        # A mail address cannot contain this login name.
        assert User.objects.get(username="王伟").email.endswith("@directory.invalid")
        assert not ann.has_usable_password()
        assert [row.role for row in Membership.objects.filter(user=ann)] == ["User"]
        second = post(as_admin, IMPORT, {"username_list": ["ann", "cat"]})
        assert "Already imported: 2" in second.json()["msg"]
        assert User.objects.filter(source=Source.LDAP).count() == 3
        assert as_admin.get(f"{USERS}&limit=5&offset=0&search=ann").json()["results"][0]["existing"] is True
        assert AuditEvent.objects.filter(event="user.created", resource="Ann Lee(ann)").count() == 1

    def test_local_account_is_never_taken_over(
        self, as_admin: APIClient, slapd: Slapd, people: dict[str, User]
    ) -> None:
        read(as_admin, slapd)
        local = User.objects.create(username="ANN", name="Local", email="x@example.test")
        answer = post(as_admin, IMPORT, {"username_list": ["ann", "bob", "nobody"]})
        assert answer.status_code == 200
        assert set(answer.json()["errors"]) == {"ann", "nobody"}
        local.refresh_from_db()
        assert local.source == Source.LOCAL
        assert not DirectoryIdentity.objects.filter(user=local).exists()
        refused = post(as_admin, IMPORT, {"username_list": ["ann"]})
        assert refused.status_code == 400
        assert "Another account has this username" in refused.json()["msg"]

    def test_mail_address_of_another_account(self, as_admin: APIClient, slapd: Slapd) -> None:
        read(as_admin, slapd)
        User.objects.create(username="other", name="Other", email="ANN@example.com")
        answer = post(as_admin, IMPORT, {"username_list": ["ann", "bob"]})
        assert answer.json()["errors"] == {"ann": "Another account has this mail address."}
        assert User.objects.filter(username="bob").exists()

    @pytest.mark.parametrize("body", [{}, {"username_list": []}, {"username_list": "ann"}, {"username_list": [{}]}])
    def test_invalid_bodies_are_refused(self, as_admin: APIClient, body: Any) -> None:
        assert post(as_admin, IMPORT, body).status_code == 400


class TestSynchronisation:
    def _imported(self, client: APIClient, server: Slapd, *names: str, **more: Any) -> None:
        read(client, server, **more)
        all_usernames = [person.username for person in (ANN, BOB, CAT, *CROWD)]
        assert post(client, IMPORT, {"username_list": list(names) or all_usernames}).status_code == 200
        self._synchronise(client)

    def _synchronise(self, client: APIClient, **body: Any) -> dict[str, Any]:
        post(client, SYNC, body)
        assert reading.run_due()
        state: dict[str, Any] = client.get(SYNC, headers={"Accept-Language": "en"}).json()
        return state

    def test_second_reading_without_changes_writes_nothing(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd)
        before = AuditEvent.objects.filter(event__startswith="user.").count()
        counts = self._synchronise(as_admin)["counts"]
        assert (counts["people"], counts["new_or_changed"], counts["updated"], counts["disabled"]) == (23, 0, 0, 0)
        assert AuditEvent.objects.filter(event__startswith="user.").count() == before

    def test_names_and_mail_addresses_are_updated(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd, "ann", "bob")
        slapd.replace(ANN, "sn", "Ann Müller")
        slapd.replace(BOB, "mail", "ann@example.com")
        assert self._synchronise(as_admin)["counts"]["updated"] == 1
        assert User.objects.get(username="ann").name == "Ann Müller"
        assert User.objects.get(username="bob").email == "bob@example.com", "the address belongs to another account"

    def test_many_people_are_compared_in_batches(
        self, as_admin: APIClient, slapd: Slapd, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each batch of three has leavers or changes. Nobody is counted twice."""
        monkeypatch.setattr(staging, "BATCH", 3)
        monkeypatch.setattr(cache, "BATCH", 3)
        self._imported(as_admin, slapd)
        for person in (CROWD[0], CROWD[7], CROWD[19]):
            slapd.replace(person, "sn", "New")
        slapd.delete(BOB, CROWD[10])
        slapd.add(Someone("dan"))
        counts = self._synchronise(as_admin)["counts"]
        expected = {"people": 22, "without_id": 0, "new_or_changed": 4, "gone": 2}
        assert counts == {**expected, "updated": 3, "disabled": 2, "enabled": 0, "refused": 0}
        assert User.objects.filter(name="New").count() == 3
        assert DirectoryEntry.objects.count() == 22

    def test_leaver_is_disabled_and_enabled_after_returning(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd)
        epoch = User.objects.get(username="bob").session_epoch
        slapd.delete(BOB)
        assert self._synchronise(as_admin)["counts"]["disabled"] == 1
        bob = User.objects.get(username="bob")
        assert (bob.is_active, bob.session_epoch) == (False, epoch + 1)
        assert self._synchronise(as_admin)["counts"]["disabled"] == 0

    def test_different_person_with_the_same_name_is_not_the_user(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd)
        slapd.delete(BOB)
        slapd.add(BOB)
        assert self._synchronise(as_admin)["counts"]["disabled"] == 1
        assert not User.objects.get(username="bob").is_active

    def test_renamed_person_stays_the_same_user(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd)
        slapd.rename(ANN, "ann-lee")
        assert self._synchronise(as_admin)["counts"]["disabled"] == 0
        assert User.objects.get(username="ann").is_active

    def test_large_decrease_disables_nobody_until_it_is_confirmed(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd)
        slapd.delete(BOB, ANN, CAT)
        for _time in range(2):
            state = self._synchronise(as_admin)
            assert (state["outcome"], state["counts"]["disabled"]) == ("held_back", 0)
            assert "has 20 people; before it had 23" in state["reason"]
        assert User.objects.filter(source=Source.LDAP, is_active=False).count() == 0
        assert self._synchronise(as_admin, accept_fall=True)["counts"]["disabled"] == 3

    def test_empty_result_disables_nobody(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd)
        save(as_admin, slapd, AUTH_LDAP_SEARCH_FILTER="(title=%(user)s)")
        state = self._synchronise(as_admin, accept_fall=True)
        assert state["outcome"] == "failed"
        assert "nobody who matches" in state["reason"]
        assert User.objects.filter(source=Source.LDAP, is_active=False).count() == 0
        assert DirectoryEntry.objects.count() == 23

    def test_first_reading_after_changed_settings_disables_nobody(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd, "ann", "bob")
        slapd.add(Someone("dan", base=PARTNERS))
        save(as_admin, slapd, AUTH_LDAP_SEARCH_OU=BASE, AUTH_LDAP_SEARCH_FILTER="(&(!(uid=ann))(uid=%(user)s))")
        state = self._synchronise(as_admin)
        assert state["outcome"] == "held_back"
        assert "settings have changed" in state["reason"]

    def test_first_synchronisation_does_not_disable_many_users(self, as_admin: APIClient, slapd: Slapd) -> None:
        read(as_admin, slapd)
        imported = [ANN, BOB, CAT, *CROWD]
        assert post(as_admin, IMPORT, {"username_list": [person.username for person in imported]}).status_code == 200
        slapd.delete(*imported[1:])
        assert self._synchronise(as_admin)["outcome"] == "held_back"
        assert User.objects.filter(source=Source.LDAP, is_active=False).count() == 0
        assert self._synchronise(as_admin, accept_fall=True)["counts"]["disabled"] == 22

    def test_setting_keeps_leavers_enabled(self, as_admin: APIClient, slapd: Slapd) -> None:
        self._imported(as_admin, slapd, AUTH_LDAP_LEAVERS="keep")
        slapd.delete(BOB)
        assert self._synchronise(as_admin)["counts"]["disabled"] == 0
        assert User.objects.get(username="bob").is_active

    def test_direct_and_nested_group_members_are_admitted(self, as_admin: APIClient, slapd: Slapd) -> None:
        inner = slapd.add_group("inner", [ANN])
        slapd.add_group("other", [BOB])
        slapd.add_group("postern", [CAT, Someone("x", base=BASE)])
        slapd._change(
            f"dn: cn=postern,{BASE}\nchangetype: modify\nadd: member\nmember: {inner.upper()}\n\n"
            f"dn: {inner}\nchangetype: modify\nadd: member\nmember: cn=postern,{BASE}\n",
            "ldapmodify",
        )
        read(as_admin, slapd, AUTH_LDAP_GROUP_BASE=BASE, AUTH_LDAP_GROUP_FILTER="(cn=postern)")
        assert set(DirectoryEntry.objects.values_list("username", flat=True)) == {"ann", "cat"}
        for person, status in ((ANN, 200), (CAT, 200), (BOB, 400)):
            assert (
                post(as_admin, LOGIN, {"username": person.username, "password": person.password}).status_code == status
            )

    def test_interval_starts_a_reading(self, as_admin: APIClient, slapd: Slapd) -> None:
        read(as_admin, slapd, AUTH_LDAP_SYNC=True, AUTH_LDAP_SYNC_INTERVAL=5)
        assert not reading.run_due()
        began = reading.state().date_began
        assert began is not None
        DirectoryState.objects.update(date_began=began - timedelta(minutes=5))
        assert reading.run_due()

    def test_nothing_is_read_before_a_server_is_configured(self) -> None:
        assert not reading.run_due()
