"""Containers of Azure as storages for recordings: the contract of all storages against azurite, and services that fail."""

import io
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from azure.storage.blob import ContainerClient
from django.utils import translation

from peers.azurite import ACCOUNT, KEY, Azurite
from peers.s3_server import OddService, odd_service
from postern.foundation.network.outbound import DialTarget, TargetRefused, TargetUnknown
from postern.integrations.replay_storages.azure import Access, connect, container
from postern.integrations.replay_storages.failures import StorageFailed
from postern.integrations.replay_storages.port import Content, RemoteStore
from postern.kernel.secret import Secret
from unit.integrations.replay_storages.contract import (
    Counted,
    KilledError,
    Progress,
    RecordingStoreContract,
    Zeros,
    content_of,
    path_of,
)

STORAGE_ID = uuid4()


def dialled(host: str, port: int) -> DialTarget:
    return DialTarget(host, port)


def store(endpoint: str, name: str, check: Any = dialled, key: str = KEY) -> RemoteStore:
    return connect(Access(endpoint, name, ACCOUNT, Secret(key)), storage_id=STORAGE_ID, check=check)


def key_of(path: str) -> str:
    return f"{STORAGE_ID}/{path}"


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Azurite]:
    running = Azurite(Path(tmp_path_factory.mktemp("azurite")))
    yield running
    running.stop()


@pytest.fixture
def name() -> str:
    return f"c-{uuid4()}"


@pytest.fixture
def there(server: Azurite, name: str) -> ContainerClient:
    """The container as another client sees it."""
    return server.make_container(name)


@pytest.fixture
def storage(server: Azurite, name: str, there: ContainerClient) -> RemoteStore:
    del there
    return store(server.endpoint, name)


@pytest.fixture
def odd() -> Iterator[OddService]:
    with odd_service(OddService()) as running:
        yield running


def names(there: ContainerClient, *, unfinished: bool = False) -> list[str]:
    return [blob.name for blob in there.list_blobs(include=["uncommittedblobs"] if unfinished else [])]


class TestContainer(RecordingStoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, there: ContainerClient) -> None:
        self.there = there

    def assert_no_unfinished(self, storage: Any) -> None:
        del storage
        assert set(names(self.there, unfinished=True)) == set(names(self.there))


def test_killed_copy_sends_only_the_missing_blocks(storage: RemoteStore, server: Azurite, name: str) -> None:
    content, path = os.urandom(40 << 20), path_of(uuid4())
    progress = Progress(dies_after=32 << 20)
    with pytest.raises(KilledError):
        storage.copy_in(path, io.BytesIO(content), content_of(content), progress)
    progress.dies_after, rest = None, Counted(content)
    again = store(server.endpoint, name)
    again.copy_in(path, rest, content_of(content), progress)
    assert rest.total == 8 << 20
    with again.open(path) as file:
        assert file.read() == content


def test_blocks_of_another_content_are_not_used(storage: RemoteStore, server: Azurite, name: str) -> None:
    first, second, path = os.urandom(20 << 20), os.urandom(20 << 20), path_of(uuid4())
    with pytest.raises(KilledError):
        storage.copy_in(path, io.BytesIO(first), content_of(first), Progress(dies_after=16 << 20))
    again = store(server.endpoint, name)
    again.copy_in(path, io.BytesIO(second), content_of(second), Progress())
    with again.open(path) as file:
        assert file.read() == second


def test_giving_up_leaves_no_blocks_and_no_blob(storage: RemoteStore, there: ContainerClient) -> None:
    content, path = os.urandom(20 << 20), path_of(uuid4())
    with pytest.raises(KilledError):
        storage.copy_in(path, io.BytesIO(content), content_of(content), Progress(dies_after=8 << 20))
    assert names(there, unfinished=True) == [key_of(path)]
    storage.give_up(path, "blocks")
    assert names(there, unfinished=True) == []


def test_giving_up_keeps_a_complete_blob(storage: RemoteStore, there: ContainerClient) -> None:
    path = TestContainer.stored(storage, uuid4(), b"content")
    there.get_blob_client(key_of(path)).stage_block("0001", b"stray")
    storage.give_up(path, "")
    with storage.open(path) as file:
        assert file.read() == b"content"


def test_sha256_is_in_the_metadata(storage: RemoteStore, there: ContainerClient) -> None:
    path = TestContainer.stored(storage, uuid4(), b"content")
    assert there.get_blob_client(key_of(path)).get_blob_properties().metadata == {
        "sha256": content_of(b"content").sha256
    }


def test_blob_of_another_content_is_replaced(storage: RemoteStore, there: ContainerClient) -> None:
    path = path_of(uuid4())
    there.upload_blob(key_of(path), b"CONTENT")
    storage.copy_in(path, io.BytesIO(b"content"), content_of(b"content"), Progress())
    with storage.open(path) as file:
        assert file.read() == b"content"


def test_only_one_block_of_a_recording_is_in_memory(storage: RemoteStore) -> None:
    size, path, zeros = 48 << 20, path_of(uuid4()), Zeros()
    storage.copy_in(path, zeros, Content(size, "0" * 64), Progress())  # type: ignore[arg-type]  # what is used of it
    assert zeros.most == 8 << 20
    ranges: list[int] = []
    fetch = container.Container._range
    with (
        mock.patch.object(
            container.Container,
            "_range",
            lambda self, key, first, last, *limit: ranges.append(last - first) or fetch(self, key, first, last, *limit),
        ),
        storage.open(path) as file,
    ):
        while file.read(1 << 20):
            pass
    assert max(ranges) < 4 << 20


def test_closing_a_file_ends_the_read_of_another_thread_at_once(odd: OddService) -> None:
    odd.manner = "silent"
    file = store(odd.endpoint, "recordings").open(path_of(uuid4()), size=1000)
    failed: list[BaseException] = []

    def read() -> None:
        try:
            file.read()
        except (OSError, ValueError) as error:
            failed.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    while not odd.requests:
        time.sleep(0.01)
    file.close()
    reader.join(5)
    assert not reader.is_alive()
    assert len(failed) == 1


def test_a_key_that_is_no_key_is_told(server: Azurite) -> None:
    with pytest.raises(StorageFailed, match="is no key of Azure"):
        store(server.endpoint, "recordings", key="not base64!")


class TestProbe:
    def test_probe_leaves_nothing(self, storage: RemoteStore, there: ContainerClient) -> None:
        storage.probe()
        assert names(there, unfinished=True) == []

    def test_wrong_key_is_refused(self, server: Azurite, there: ContainerClient, name: str) -> None:
        with pytest.raises(StorageFailed, match="Check the account key"):
            store(server.endpoint, name, key="d3Jvbmc=").probe()
        assert names(there) == []

    def test_variables_of_the_environment_change_nothing(
        self, storage: RemoteStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(variable, "http://127.0.0.1:1")
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nonexistent")
        storage.probe()

    def test_missing_container_is_named(self, server: Azurite) -> None:
        with pytest.raises(StorageFailed, match=r"There is no container nowhere at 127\.0\.0\.1"):
            store(server.endpoint, "nowhere").probe()

    @pytest.mark.parametrize(
        ("status", "code", "words"),
        [
            (403, "AuthenticationFailed", "does not accept the account key"),
            (403, "AuthorizationFailure", r"refuses this \(AuthorizationFailure\)"),
            (403, "KeyBasedAuthenticationNotPermitted", "permit the access with an account key"),
            (404, "ContainerNotFound", "There is no container recordings"),
            (409, "ContainerBeingDeleted", "There is no container recordings"),
            (507, "InsufficientStorage", "has no room"),
            (400, "Odd", r"the code Odd \(HTTP status 400\)"),
        ],
    )
    def test_each_refusal_has_its_reason(self, odd: OddService, status: int, code: str, words: str) -> None:
        odd.status, odd.code = status, code
        odd.headers = {"x-ms-error-code": code}
        with pytest.raises(StorageFailed, match=words):
            store(odd.endpoint, "recordings").probe()

    def test_redirect_is_not_followed(self, odd: OddService) -> None:
        odd.status, odd.code = 307, "TemporaryRedirect"
        odd.headers = {"Location": "http://127.0.0.1:1/recordings/x"}
        with pytest.raises(StorageFailed, match="307"):
            store(odd.endpoint, "recordings").probe()

    @pytest.mark.parametrize("manner", ["silent", "drip"])
    def test_slow_service_is_cut_at_the_limit(
        self, odd: OddService, monkeypatch: pytest.MonkeyPatch, manner: str
    ) -> None:
        monkeypatch.setattr(container, "PERSON_S", 1.0)
        odd.manner = manner
        with pytest.raises(StorageFailed, match="did not answer within 1 seconds"):
            store(odd.endpoint, "recordings").probe()

    def test_service_that_hangs_up_is_unreachable(self, odd: OddService) -> None:
        odd.manner = "close"
        with pytest.raises(StorageFailed, match="cannot be reached"):
            store(odd.endpoint, "recordings").probe()
        assert len(odd.requests) > 1

    def test_service_that_is_another_is_refused(self, odd: OddService) -> None:
        odd.manner = "other"
        with pytest.raises(StorageFailed):
            store(odd.endpoint, "recordings").probe()

    @pytest.mark.parametrize("status", [200, 403, 500])
    def test_answer_without_end_is_not_read(self, odd: OddService, status: int) -> None:
        odd.manner, odd.status = "huge", status
        with pytest.raises(StorageFailed, match="longer than expected"):
            store(odd.endpoint, "recordings").probe()
        with (
            pytest.raises(StorageFailed, match="longer than expected"),
            store(odd.endpoint, "recordings").open(path_of(uuid4()), size=10) as file,
        ):
            file.read()

    def test_closed_port_is_unreachable(self) -> None:
        with pytest.raises(StorageFailed, match="cannot be reached"):
            store("http://127.0.0.1:1", "recordings").probe()

    def test_k36_address_that_is_refused_is_never_dialled(self, odd: OddService) -> None:
        def refuses(host: str, port: int) -> DialTarget:
            raise TargetRefused("Connections to this network are not allowed.")

        with pytest.raises(StorageFailed, match="Connections to this network are not allowed"):
            store(odd.endpoint, "recordings", refuses).probe()
        assert odd.requests == []

    def test_unknown_name_is_named(self) -> None:
        def unknown(host: str, port: int) -> DialTarget:
            raise TargetUnknown("")

        with pytest.raises(StorageFailed, match=r"The name acme\.blob\.core\.windows\.net cannot be resolved"):
            store("https://acme.blob.core.windows.net", "recordings", unknown).probe()

    def test_recordings_are_not_sent_without_encryption(self) -> None:
        def elsewhere(host: str, port: int) -> DialTarget:
            return DialTarget("192.0.2.1", port)

        with pytest.raises(StorageFailed, match="without encryption"):
            store("http://acme.blob.core.windows.net", "recordings", elsewhere).probe()
