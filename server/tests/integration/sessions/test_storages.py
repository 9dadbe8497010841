"""Storages over the API: fields by type, sealed keys, one default, names that terminals follow, tests of buckets."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from rest_framework.test import APIClient

from factories.proxy_client import Proxy
from peers.s3_server import OddService, S3Server, odd_service
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import ReplayStorage, Terminal
from postern.apps.vault.models import SealedSecret
from postern.foundation.network.outbound import TargetRefused

pytestmark = pytest.mark.django_db

STORAGES = "/api/v1/terminal/replay-storages/"
COMMANDS = "/api/v1/terminal/command-storages/"
TERMINALS = "/api/v1/terminal/terminals/"
ENGLISH = {"Accept-Language": "en"}


AZURE = {
    "CONTAINER_NAME": "recordings", "ACCOUNT_NAME": "acme1", "ACCOUNT_KEY": "c2VjcmV0", "ENDPOINT_SUFFIX": "core.windows.net",
}  # fmt: skip


def body(name: str = "archive", endpoint: str = "https://s3.example.com", **values: Any) -> dict[str, Any]:
    meta = {"BUCKET": "recordings", "ACCESS_KEY": "AKID", "SECRET_KEY": "secret", "ENDPOINT": endpoint}
    return {"name": name, "type": "s3", "meta": {**meta, **values.pop("meta", {})}, **values}


def add(admin: APIClient, **values: Any) -> dict[str, Any]:
    answer = admin.post(STORAGES, body(**values), format="json", headers=ENGLISH)
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    return made


def add_azure(admin: APIClient) -> dict[str, Any]:
    answer = admin.post(STORAGES, {"name": "blobs", "type": "azure", "meta": AZURE}, format="json", headers=ENGLISH)
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    return made


def row_of(admin: APIClient, name: str) -> dict[str, Any]:
    (row,) = admin.get(STORAGES, {"name": name}).json()
    found: dict[str, Any] = row
    return found


class TestBuiltIn:
    @pytest.mark.parametrize("url", [STORAGES, COMMANDS])
    def test_two_storages_are_built_in(self, as_admin: APIClient, url: str) -> None:
        rows = {row["name"]: row for row in as_admin.get(url).json()}
        assert {name: (row["type"], row["is_default"], row["is_built_in"]) for name, row in rows.items()} == {
            "default": ("server", True, True),
            "null": ("null", False, True),
        }

    @pytest.mark.parametrize("url", [STORAGES, COMMANDS])
    @pytest.mark.parametrize("name", ["default", "null"])
    def test_built_in_storage_stays_as_it_is(self, as_admin: APIClient, url: str, name: str) -> None:
        (row,) = as_admin.get(url, {"name": name}).json()
        for change in ({"name": "other"}, {"comment": "mine"}):
            answer = as_admin.patch(f"{url}{row['id']}/", change, format="json", headers=ENGLISH)
            assert (answer.status_code, answer.json()["msg"]) == (400, f"{name} is built in and cannot be changed.")
        answer = as_admin.delete(f"{url}{row['id']}/", headers=ENGLISH)
        assert (answer.status_code, answer.json()["msg"]) == (400, f"{name} is built in and cannot be deleted.")
        assert as_admin.delete(f"{url}?ids={row['id']}").status_code == 400

    def test_null_storage_cannot_be_the_default(self, as_admin: APIClient) -> None:
        null = row_of(as_admin, "null")
        answer = as_admin.patch(f"{STORAGES}{null['id']}/", {"is_default": True}, format="json")
        assert (answer.status_code, list(answer.json())) == (400, ["is_default"])
        assert row_of(as_admin, "default")["is_default"] is True


def made_of(meta: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in meta.items() if name != "ACCOUNT_KEY"}


class TestFields:
    @pytest.mark.spec("S3-046")
    def test_keys_are_sealed_and_never_shown(self, as_admin: APIClient) -> None:
        made = add(as_admin)
        assert made["meta"] == {"BUCKET": "recordings", "ENDPOINT": "https://s3.example.com"}
        assert made["stored_secrets"] == ["ACCESS_KEY", "SECRET_KEY"]
        assert "AKID" not in str(as_admin.get(STORAGES).json())
        assert SealedSecret.objects.filter(table="sessions_replaystorage", row_id=made["id"]).count() == 2
        (event,) = AuditEvent.objects.filter(event="replaystorage.created")
        assert (event.new["SECRET_KEY"], event.new["BUCKET"]) == ("******", "recordings")

    @pytest.mark.parametrize("keys", [{}, {"ACCESS_KEY": "", "SECRET_KEY": None}])
    def test_keys_are_kept_when_left_out(self, as_admin: APIClient, keys: dict[str, Any]) -> None:
        made = add(as_admin)
        sealed = list(SealedSecret.objects.order_by("pk").values("pk", "ciphertext"))
        change = {"meta": {"BUCKET": "others", **keys}}
        changed = as_admin.patch(f"{STORAGES}{made['id']}/", change, format="json")
        assert changed.json()["meta"] == {"BUCKET": "others", "ENDPOINT": "https://s3.example.com"}
        assert list(SealedSecret.objects.order_by("pk").values("pk", "ciphertext")) == sealed
        as_admin.patch(f"{STORAGES}{made['id']}/", {"meta": {"SECRET_KEY": "other"}}, format="json")
        event = AuditEvent.objects.filter(event="replaystorage.updated").order_by("sequence").last()
        assert event is not None
        assert (event.old, event.new) == ({"SECRET_KEY": "******"}, {"SECRET_KEY": "******"})

    @pytest.mark.parametrize(
        "endpoint", ["https://s3.example.com:8443", "https://s3.example.org", "http://127.0.0.1:9000"]
    )
    def test_k70_stored_keys_are_not_used_for_another_endpoint(self, as_admin: APIClient, endpoint: str) -> None:
        url = f"{STORAGES}{add(as_admin)['id']}/"
        answer = as_admin.patch(url, {"meta": {"ENDPOINT": endpoint}}, format="json")
        assert (answer.status_code, list(answer.json()["meta"])) == (400, ["ACCESS_KEY", "SECRET_KEY"])
        half = as_admin.patch(url, {"meta": {"ENDPOINT": endpoint, "ACCESS_KEY": "AKID"}}, format="json")
        assert list(half.json()["meta"]) == ["SECRET_KEY"]
        assert as_admin.get(url).json()["meta"]["ENDPOINT"] == "https://s3.example.com"
        keys = {"ACCESS_KEY": "AKID", "SECRET_KEY": "secret"}
        whole = as_admin.patch(url, {"meta": {"ENDPOINT": endpoint, **keys}}, format="json")
        assert whole.json()["meta"]["ENDPOINT"] == endpoint

    def test_same_endpoint_in_another_spelling_needs_no_keys(self, as_admin: APIClient) -> None:
        url = f"{STORAGES}{add(as_admin)['id']}/"
        change = {"meta": {"ENDPOINT": "https://S3.example.com:443/"}}
        assert as_admin.patch(url, change, format="json").status_code == 200

    @pytest.mark.parametrize(
        ("meta", "field"),
        [
            ({"BUCKET": ""}, "BUCKET"),
            ({"BUCKET": "a/b"}, "BUCKET"),
            ({"BUCKET": "x" * 300}, "BUCKET"),
            ({"ENDPOINT": "s3.example.com/bucket"}, "ENDPOINT"),
            ({"ENDPOINT": "http://s3.example.com"}, "ENDPOINT"),
            ({"ENDPOINT": "ftp://s3.example.com"}, "ENDPOINT"),
            ({"ENDPOINT": "https://user:pw@s3.example.com"}, "ENDPOINT"),
            ({"ENDPOINT": "https://s3.example.com:99999"}, "ENDPOINT"),
            ({"ENDPOINT": "https://my_minio:9000"}, "ENDPOINT"),
            ({"ENDPOINT": "https://a..b"}, "ENDPOINT"),
            ({"ENDPOINT": "https://-a.example.com"}, "ENDPOINT"),
            ({"ENDPOINT": f"https://{'a' * 64}.example.com"}, "ENDPOINT"),
            ({"ACCESS_KEY": ""}, "ACCESS_KEY"),
            ({"SECRET_KEY": None}, "SECRET_KEY"),
            ({"SECRET_KEY": "with space"}, "SECRET_KEY"),
            ({"REGION": "eu"}, "REGION"),
        ],
    )
    def test_each_field_has_its_own_error(self, as_admin: APIClient, meta: dict[str, Any], field: str) -> None:
        answer = as_admin.post(STORAGES, body(meta=meta), format="json")
        assert answer.status_code == 400
        assert list(answer.json()["meta"]) == [field]
        assert ReplayStorage.objects.count() == 2

    @pytest.mark.parametrize("kind", ["es", "ftp", "", None, 7])
    def test_type_without_a_client_is_refused(self, as_admin: APIClient, kind: Any) -> None:
        answer = as_admin.post(STORAGES, {**body(), "type": kind}, format="json")
        assert (answer.status_code, list(answer.json())) == (400, ["type"])

    def test_type_is_chosen_once(self, as_admin: APIClient) -> None:
        made = add(as_admin)
        answer = as_admin.patch(f"{STORAGES}{made['id']}/", {"type": "ceph"}, format="json")
        assert list(answer.json()) == ["type"]

    @pytest.mark.spec("S3-046")
    def test_options_describe_the_types_and_their_fields(self, as_admin: APIClient) -> None:
        fields = as_admin.options(f"{STORAGES}?type=s3", headers=ENGLISH).json()["actions"]["POST"]
        assert [choice["value"] for choice in fields["type"]["choices"]] == [
            *("null", "server", "s3", "ceph", "oss", "obs", "swift", "azure")
        ]
        meta = fields["meta"]["children"]
        assert {name: (one["label"], one["write_only"]) for name, one in meta.items()} == {
            "BUCKET": ("Bucket", False),
            "ACCESS_KEY": ("Access key", True),
            "SECRET_KEY": ("Secret key", True),
            "ENDPOINT": ("Endpoint", False),
        }
        swift = as_admin.options(f"{STORAGES}?type=swift").json()["actions"]["POST"]["meta"]["children"]
        assert list(swift) == ["BUCKET", "ACCESS_KEY", "SECRET_KEY", "ENDPOINT", "REGION"]
        azure = as_admin.options(f"{STORAGES}?type=azure", headers=ENGLISH).json()["actions"]["POST"]["meta"][
            "children"
        ]
        assert {name: (one["label"], one["write_only"]) for name, one in azure.items()} == {
            "CONTAINER_NAME": ("Container", False),
            "ACCOUNT_NAME": ("Account name", False),
            "ACCOUNT_KEY": ("Account key", True),
            "ENDPOINT_SUFFIX": ("Endpoint suffix", False),
        }
        suffixes = [choice["value"] for choice in azure["ENDPOINT_SUFFIX"]["choices"]]
        assert suffixes == ["core.chinacloudapi.cn", "core.windows.net"]
        bare = as_admin.options(f"{STORAGES}?type=server").json()["actions"]["POST"]
        assert not bare["meta"].get("children")

    @pytest.mark.spec("S3-046")
    def test_azure_is_reached_where_its_account_is(self, as_admin: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
        made = add_azure(as_admin)
        assert made["meta"] == made_of(AZURE)
        assert made["stored_secrets"] == ["ACCOUNT_KEY"]
        asked: list[tuple[str, int]] = []

        def refuse(host: str, port: int) -> None:
            asked.append((host, port))
            raise TargetRefused("no")

        monkeypatch.setattr("postern.foundation.network.outbound.check_dial", refuse)
        answer = as_admin.get(f"{STORAGES}{made['id']}/test-connective/").json()
        assert answer["is_valid"] is False
        assert set(asked) == {("acme1.blob.core.windows.net", 443)}

    @pytest.mark.parametrize("change", [{"ACCOUNT_NAME": "others"}, {"ENDPOINT_SUFFIX": "core.chinacloudapi.cn"}])
    def test_k70_a_stored_key_is_not_used_for_another_account(
        self, as_admin: APIClient, change: dict[str, str]
    ) -> None:
        url = f"{STORAGES}{add_azure(as_admin)['id']}/"
        answer = as_admin.patch(url, {"meta": change}, format="json")
        assert (answer.status_code, list(answer.json()["meta"])) == (400, ["ACCOUNT_KEY"])
        whole = as_admin.patch(url, {"meta": {**change, "ACCOUNT_KEY": "bmV3"}}, format="json")
        assert (whole.status_code, whole.json()["meta"]) == (200, {**made_of(AZURE), **change})

    @pytest.mark.parametrize(
        ("kind", "meta", "field"),
        [
            ("azure", {"CONTAINER_NAME": "Big"}, "CONTAINER_NAME"),
            ("azure", {"CONTAINER_NAME": "a/b"}, "CONTAINER_NAME"),
            ("azure", {"CONTAINER_NAME": "a--b"}, "CONTAINER_NAME"),
            ("azure", {"ACCOUNT_NAME": "evil.example.com/?"}, "ACCOUNT_NAME"),
            ("azure", {"ACCOUNT_NAME": "127.0.0.1#"}, "ACCOUNT_NAME"),
            ("azure", {"ENDPOINT_SUFFIX": "evil.example.com"}, "ENDPOINT_SUFFIX"),
            ("azure", {"ACCOUNT_KEY": ""}, "ACCOUNT_KEY"),
            ("swift", {"REGION": "no region"}, "REGION"),
            ("swift", {"REGION": ""}, "REGION"),
        ],
    )
    def test_fields_of_azure_and_swift_have_their_own_errors(
        self, as_admin: APIClient, kind: str, meta: dict[str, str], field: str
    ) -> None:
        usual = AZURE if kind == "azure" else {**body()["meta"], "REGION": "us-east-1"}
        answer = as_admin.post(STORAGES, {**body(), "type": kind, "meta": {**usual, **meta}}, format="json")
        assert (answer.status_code, list(answer.json()["meta"])) == (400, [field])

    def test_list_is_filtered_and_searched(self, as_admin: APIClient) -> None:
        add(as_admin, comment="cold room")
        for query in ({"type": "s3"}, {"name": "archive"}, {"search": "cold"}):
            assert [row["name"] for row in as_admin.get(STORAGES, query).json()] == ["archive"], query
        assert [row["name"] for row in as_admin.get(STORAGES, {"is_default": "true"}).json()] == ["default"]

    def test_name_is_unique(self, as_admin: APIClient) -> None:
        add(as_admin)
        assert list(as_admin.post(STORAGES, body(), format="json").json()) == ["name"]

    def test_only_super_administrators_see_storages(
        self, as_org_admin: APIClient, as_auditor: APIClient, as_user: APIClient
    ) -> None:
        for client in (as_org_admin, as_auditor, as_user):
            assert client.get(STORAGES).status_code == 403


class TestDefault:
    def test_default_changes_hands(self, as_admin: APIClient) -> None:
        made = add(as_admin, is_default=True)
        assert made["is_default"] is True
        assert row_of(as_admin, "default")["is_default"] is False
        answer = as_admin.patch(f"{STORAGES}{made['id']}/", {"is_default": False}, format="json")
        assert list(answer.json()) == ["is_default"]
        assert "the default" in as_admin.delete(f"{STORAGES}{made['id']}/", headers=ENGLISH).json()["msg"]
        back = as_admin.patch(f"{STORAGES}{row_of(as_admin, 'default')['id']}/", {"is_default": True}, format="json")
        assert back.status_code == 200
        assert ReplayStorage.objects.filter(is_default=True).count() == 1

    def test_second_default_is_refused_by_the_database(self, as_admin: APIClient) -> None:
        made = add(as_admin)
        with pytest.raises(IntegrityError), transaction.atomic():
            ReplayStorage.objects.filter(pk=made["id"]).update(is_default=True)

    def test_new_terminal_gets_the_default(self, as_admin: APIClient, proxy: Proxy, http: Any) -> None:
        add(as_admin, is_default=True)
        Proxy(http, "proxy-9")
        assert Terminal.objects.get(name="proxy-9").replay_storage == "archive"


@pytest.mark.django_db(transaction=True)
def test_twenty_requests_at_once_leave_one_default(as_admin: APIClient) -> None:
    ids = [add(as_admin, name=f"archive {number}")["id"] for number in range(4)]

    def make(number: int) -> int:
        try:
            url = f"{STORAGES}{ids[number % 4]}/"
            return as_admin.patch(url, {"is_default": True}, format="json").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(make, range(20))) <= {200, 503}
    assert ReplayStorage.objects.filter(is_default=True).count() == 1


class TestTerminals:
    def choose(self, admin: APIClient, name: str, column: str = "replay_storage") -> Any:
        terminal = Terminal.objects.get()
        return admin.patch(f"{TERMINALS}{terminal.pk}/", {column: name}, format="json", headers=ENGLISH)

    def test_terminal_follows_the_name_of_its_storage(self, as_admin: APIClient, proxy: Proxy) -> None:
        made = add(as_admin)
        assert self.choose(as_admin, "archive").json()["replay_storage"] == "archive"
        as_admin.patch(f"{STORAGES}{made['id']}/", {"name": "cold"}, format="json")
        assert Terminal.objects.get().replay_storage == "cold"
        event = AuditEvent.objects.filter(event="terminal.updated").order_by("sequence").last()
        assert event is not None
        assert (event.old, event.new) == ({"replay_storage": "archive"}, {"replay_storage": "cold"})

    def test_storage_of_a_terminal_cannot_be_deleted(self, as_admin: APIClient, proxy: Proxy) -> None:
        made = add(as_admin)
        self.choose(as_admin, "archive")
        answer = as_admin.delete(f"{STORAGES}{made['id']}/", headers=ENGLISH)
        assert answer.status_code == 400
        assert "Terminals: 1 (" in answer.json()["msg"]
        self.choose(as_admin, "default")
        assert as_admin.delete(f"{STORAGES}{made['id']}/").status_code == 204
        assert not SealedSecret.objects.filter(table="sessions_replaystorage").exists()

    @pytest.mark.parametrize("column", ["replay_storage", "command_storage"])
    def test_terminal_keeps_what_it_records(self, as_admin: APIClient, proxy: Proxy, column: str) -> None:
        answer = self.choose(as_admin, "null", column)
        assert answer.status_code == 400
        assert answer.json()[column] == ["A terminal records what people do. Choose a storage that keeps what it gets."]
        assert self.choose(as_admin, "nowhere", column).status_code == 400

    def test_options_offer_the_storages_of_now(self, as_admin: APIClient, proxy: Proxy) -> None:
        url = f"{TERMINALS}{Terminal.objects.get().pk}/"

        def offered() -> list[str]:
            field = as_admin.options(url).json()["actions"]["PUT"]["replay_storage"]
            return [choice["value"] for choice in field["choices"]]

        assert offered() == ["default"]
        add(as_admin)
        assert offered() == ["archive", "default"]


class TestCommandStorages:
    def test_no_other_command_storage_can_be_made(self, as_admin: APIClient) -> None:
        for kind in ("es", "server"):
            answer = as_admin.post(COMMANDS, {"name": "search", "type": kind, "meta": {}}, format="json")
            assert (answer.status_code, list(answer.json())) == (400, ["type"])

    def test_tree_counts_the_commands(self, as_auditor: APIClient, as_user: APIClient) -> None:
        tree = as_auditor.get(f"{COMMANDS}tree/", headers=ENGLISH).json()
        assert [node["name"] for node in tree] == ["default(server)(0)", "null(null)(0)", "Command storages"]
        assert tree[-1]["id"] == "root"
        assert {node["pId"] for node in tree[:-1]} == {"root"}
        real = as_auditor.get(f"{COMMANDS}tree/", {"real": "1"}).json()
        assert [node["title"] for node in real] == ["default", ""]
        assert as_user.get(f"{COMMANDS}tree/").status_code == 403

    def test_commands_of_the_null_storage_are_none(self, as_auditor: APIClient) -> None:
        null = "00000000-0000-0000-0000-000000000004"
        assert as_auditor.get("/api/v1/terminal/commands/", {"command_storage_id": null}).json() == []


class TestConnection:
    @pytest.fixture
    def server(self) -> Iterator[S3Server]:
        running = S3Server()
        yield running
        running.stop()

    @pytest.fixture(autouse=True)
    def _may_dial_loopback(self, settings: Any) -> None:
        settings.POSTERN = replace(settings.POSTERN, allow_local_targets=True)

    def probed(self, admin: APIClient, storage: dict[str, Any], *, method: str = "post") -> tuple[bool, str]:
        answer = getattr(admin, method)(f"{STORAGES}{storage['id']}/test-connective/", headers=ENGLISH)
        assert answer.status_code == 200, answer.content
        said = answer.json()
        return said["is_valid"], said["msg"]

    @pytest.mark.parametrize("method", ["get", "post"])
    def test_bucket_is_written_read_and_left_clean(
        self, as_admin: APIClient, server: S3Server, audit_events: Callable[[], list[str]], method: str
    ) -> None:
        name = server.make_bucket(f"b-{uuid4()}")
        made = add(as_admin, endpoint=server.endpoint, meta={"BUCKET": name})
        assert self.probed(as_admin, made, method=method) == (True, "The storage can be used.")
        assert server.keys(name) == []
        assert audit_events()[-1] == "storage.tested"

    def test_missing_bucket_is_told(self, as_admin: APIClient, server: S3Server) -> None:
        made = add(as_admin, endpoint=server.endpoint)
        valid, text = self.probed(as_admin, made)
        assert (valid, text.startswith("There is no bucket recordings at 127.0.0.1")) == (False, True)
        event = AuditEvent.objects.filter(event="storage.tested").get()
        assert event.new == {"accepted": False, "reason": "storage.no_bucket"}

    def test_wrong_key_is_told(self, as_admin: APIClient) -> None:
        with odd_service(OddService(code="SignatureDoesNotMatch")) as odd:
            valid, text = self.probed(as_admin, add(as_admin, endpoint=odd.endpoint))
        assert (valid, "does not accept the access key" in text) == (False, True)
        assert "AKID" not in text

    def test_k36_own_machine_is_not_dialled_unless_it_is_allowed(self, as_admin: APIClient, settings: Any) -> None:
        settings.POSTERN = replace(settings.POSTERN, allow_local_targets=False)
        with odd_service(OddService()) as odd:
            valid, text = self.probed(as_admin, add(as_admin, endpoint=odd.endpoint))
            assert odd.requests == []
        assert (valid, "POSTERN_ALLOW_LOCAL_TARGETS" in text) == (False, True)

    def test_built_in_storages_are_tested_too(self, as_admin: APIClient) -> None:
        assert self.probed(as_admin, row_of(as_admin, "default"))[0] is True
        assert self.probed(as_admin, row_of(as_admin, "null"))[0] is False
