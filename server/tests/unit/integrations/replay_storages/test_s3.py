"""Buckets as storages for recordings: the contract of all storages against a moto server, and services that fail."""

import io
import os
import threading
import time
from collections.abc import Iterator
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from django.utils import translation

from peers.s3_server import OddService, S3Server, odd_service
from postern.foundation.network.outbound import DialTarget, TargetRefused, TargetUnknown
from postern.integrations.replay_storages.failures import StorageFailed
from postern.integrations.replay_storages.port import Content, RemoteStore
from postern.integrations.replay_storages.s3 import Access, Addressing, bucket, connect
from postern.integrations.replay_storages.s3.regions import region_of, uses_virtual_hosts
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


def store(endpoint: str, name: str, check: Any = dialled) -> RemoteStore:
    return connect(Access(endpoint, name, "key", Secret("secret")), storage_id=STORAGE_ID, check=check)


def key_of(path: str) -> str:
    return f"{STORAGE_ID}/{path}"


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    running = S3Server()
    yield running
    running.stop()


@pytest.fixture
def name(server: S3Server) -> str:
    return server.make_bucket(f"b-{uuid4()}")


@pytest.fixture
def storage(server: S3Server, name: str) -> RemoteStore:
    return store(server.endpoint, name)


@pytest.fixture
def odd() -> Iterator[OddService]:
    with odd_service(OddService()) as running:
        yield running


class TestBucket(RecordingStoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, server: S3Server, name: str) -> None:
        self.server, self.name = server, name

    def assert_no_unfinished(self, storage: Any) -> None:
        assert self.server.uploads(self.name) == []


def test_killed_copy_sends_only_the_missing_parts(storage: RemoteStore, server: S3Server, name: str) -> None:
    content, path = os.urandom(40 << 20), path_of(uuid4())
    progress = Progress(dies_after=32 << 20)
    with pytest.raises(KilledError):
        storage.copy_in(path, io.BytesIO(content), content_of(content), progress)
    assert server.uploads(name) == [progress.upload_id]
    progress.dies_after, rest = None, Counted(content)
    store(server.endpoint, name).copy_in(path, rest, content_of(content), progress)
    assert rest.total == 8 << 20
    assert server.uploads(name) == []


def test_upload_whose_id_was_lost_is_found_again(storage: RemoteStore, server: S3Server, name: str) -> None:
    content, path = os.urandom(9 << 20), path_of(uuid4())
    server.client.create_multipart_upload(
        Bucket=name, Key=key_of(path), Metadata={"sha256": content_of(content).sha256}
    )
    storage.copy_in(path, io.BytesIO(content), content_of(content), Progress())
    assert (server.uploads(name), server.keys(name)) == ([], [key_of(path)])
    server.client.create_multipart_upload(Bucket=name, Key=key_of(path))
    storage.give_up(path, "")
    assert server.uploads(name) == []


def test_copy_completed_before_its_answer_was_lost_is_accepted(
    storage: RemoteStore, server: S3Server, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, path = os.urandom(9 << 20), path_of(uuid4())
    completed = bucket.Bucket._call

    def twice(self: Any, operation: str, *args: Any, **values: Any) -> Any:
        answer = completed(self, operation, *args, **values)
        return completed(self, operation, *args, **values) if operation == "complete_multipart_upload" else answer

    monkeypatch.setattr(bucket.Bucket, "_call", twice)
    storage.copy_in(path, io.BytesIO(content), content_of(content), Progress())
    assert server.keys(name) == [key_of(path)]


def test_sha256_is_in_the_metadata_and_no_checksum_of_aws(storage: RemoteStore, server: S3Server, name: str) -> None:
    path = TestBucket.stored(storage, uuid4(), b"content")
    head = server.client.head_object(Bucket=name, Key=key_of(path))
    assert head["Metadata"]["sha256"] == content_of(b"content").sha256
    assert not [header for header in head["ResponseMetadata"]["HTTPHeaders"] if "checksum" in header]


def test_object_of_another_content_is_replaced(storage: RemoteStore, server: S3Server, name: str) -> None:
    path = path_of(uuid4())
    server.client.put_object(Bucket=name, Key=key_of(path), Body=b"CONTENT")
    storage.copy_in(path, io.BytesIO(b"content"), content_of(b"content"), Progress())
    with storage.open(path) as file:
        assert file.read() == b"content"


def test_only_one_part_of_a_recording_is_in_memory(storage: RemoteStore) -> None:
    size, path, zeros = 48 << 20, path_of(uuid4()), Zeros()
    storage.copy_in(path, zeros, Content(size, "0" * 64), Progress())  # type: ignore[arg-type]  # what is used of it
    assert zeros.most == 8 << 20
    ranges: list[int] = []
    fetch = bucket.Bucket._range
    with (
        mock.patch.object(
            bucket.Bucket,
            "_range",
            lambda self, key, first, last, *limit: ranges.append(last - first) or fetch(self, key, first, last, *limit),
        ),
        storage.open(path) as file,
    ):
        while file.read(1 << 20):
            pass
    assert max(ranges) < 4 << 20


def test_closing_a_file_ends_the_read_of_another_thread_at_once(
    server: S3Server, name: str, storage: RemoteStore
) -> None:
    path = TestBucket.stored(storage, uuid4(), b"content")
    with odd_service(OddService(manner="sized")) as odd:
        file = store(odd.endpoint, name).open(path)
        odd.manner = "silent"
        failed: list[BaseException] = []

        def read() -> None:
            try:
                file.read()
            except (OSError, ValueError) as error:
                failed.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        while len(odd.requests) < 2:
            time.sleep(0.01)
        file.close()
        reader.join(5)
        assert not reader.is_alive()
        assert len(failed) == 1


def test_answers_without_what_is_needed_are_told(odd: OddService) -> None:
    odd.manner = "bare"
    storage, path = store(odd.endpoint, "recordings"), path_of(uuid4())
    with pytest.raises(StorageFailed, match="does not answer as a service with the S3 protocol"):
        storage.open(path)
    content = bytes(9 << 20)
    with (
        mock.patch.object(bucket.Bucket, "_head", return_value=None),
        pytest.raises(StorageFailed, match="does not answer as a service with the S3 protocol"),
    ):
        storage.copy_in(path, io.BytesIO(content), content_of(content), Progress())


@pytest.mark.parametrize("endpoint", ["https://my_minio:9000", "https://a..b"])
def test_endpoint_that_the_client_refuses_is_told(endpoint: str) -> None:
    with pytest.raises(StorageFailed):
        store(endpoint, "recordings").probe()


class TestProbe:
    def test_probe_leaves_nothing(self, storage: RemoteStore, server: S3Server, name: str) -> None:
        storage.probe()
        assert (server.keys(name), server.uploads(name)) == ([], [])

    def test_key_without_the_right_to_list_is_found(self, odd: OddService) -> None:
        odd.manner = "unlisted"
        with pytest.raises(StorageFailed, match="It needs the rights to list the bucket recordings"):
            store(odd.endpoint, "recordings").probe()

    def test_variables_of_aws_change_nothing(
        self, server: S3Server, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        variables = {"AWS_USE_FIPS_ENDPOINT": "true", "AWS_DEFAULTS_MODE": "nonsense", "AWS_MAX_ATTEMPTS": "nonsense"}
        for variable, value in variables.items():
            monkeypatch.setenv(variable, value)
        store(server.endpoint, name).probe()

    def test_missing_bucket_is_named(self, server: S3Server) -> None:
        with pytest.raises(StorageFailed, match=r"There is no bucket nowhere at 127\.0\.0\.1"):
            store(server.endpoint, "nowhere").probe()

    @pytest.mark.parametrize(
        ("status", "code", "words"),
        [
            (403, "InvalidAccessKeyId", "does not accept the access key"),
            (403, "SignatureDoesNotMatch", "does not accept the access key"),
            (403, "AccessDenied", r"refuses this to the access key \(AccessDenied\)"),
            (403, "RequestTimeTooSkewed", "clocks of this machine"),
            (301, "PermanentRedirect", "another region"),
            (400, "AuthorizationHeaderMalformed", "another region"),
            (507, "InsufficientStorage", "has no room"),
            (400, "Odd", r"the code Odd \(HTTP status 400\)"),
        ],
    )
    def test_each_refusal_has_its_reason(self, odd: OddService, status: int, code: str, words: str) -> None:
        odd.status, odd.code = status, code
        with pytest.raises(StorageFailed, match=words):
            store(odd.endpoint, "recordings").probe()

    def test_redirect_is_not_followed(self, odd: OddService) -> None:
        odd.status, odd.code = 307, "TemporaryRedirect"
        odd.headers = {"Location": "http://127.0.0.1:1/recordings/x"}
        with pytest.raises(StorageFailed, match="another region"):
            store(odd.endpoint, "recordings").probe()

    @pytest.mark.parametrize("manner", ["silent", "drip"])
    def test_slow_service_is_cut_at_the_limit(
        self, odd: OddService, monkeypatch: pytest.MonkeyPatch, manner: str
    ) -> None:
        monkeypatch.setattr(bucket, "PERSON_S", 1.0)
        odd.manner = manner
        with pytest.raises(StorageFailed, match="did not answer within 1 seconds"):
            store(odd.endpoint, "recordings").probe()

    def test_service_that_hangs_up_is_unreachable(self, odd: OddService) -> None:
        odd.manner = "close"
        with pytest.raises(StorageFailed, match="cannot be reached"):
            store(odd.endpoint, "recordings").probe()
        assert len(odd.requests) == 3

    def test_service_that_returns_other_bytes_is_refused(self, odd: OddService) -> None:
        odd.manner = "other"
        with pytest.raises(StorageFailed, match="returned other bytes"):
            store(odd.endpoint, "recordings").probe()

    @pytest.mark.parametrize("status", [200, 403, 500])
    def test_answer_without_end_is_not_read(self, odd: OddService, status: int) -> None:
        odd.manner, odd.status = "huge", status
        with pytest.raises(StorageFailed, match="longer than expected"):
            store(odd.endpoint, "recordings").probe()
        with (
            pytest.raises(StorageFailed, match="longer than expected" if status != 200 else "other bytes"),
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

        with pytest.raises(StorageFailed, match=r"The name s3\.example\.com cannot be resolved"):
            store("https://s3.example.com", "recordings", unknown).probe()

    def test_recordings_are_not_sent_without_encryption(self) -> None:
        def elsewhere(host: str, port: int) -> DialTarget:
            return DialTarget("192.0.2.1", port)

        with pytest.raises(StorageFailed, match="without encryption"):
            store("http://s3.example.com", "recordings", elsewhere).probe()


@pytest.mark.parametrize(
    ("endpoint", "region"),
    [
        ("https://s3.eu-central-1.amazonaws.com", "eu-central-1"),
        ("https://s3-us-west-2.amazonaws.com", "us-west-2"),
        ("https://s3.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("https://s3.amazonaws.com", "us-east-1"),
        ("https://oss-cn-hangzhou.aliyuncs.com", "oss-cn-hangzhou"),
        ("https://oss-cn-hangzhou-internal.aliyuncs.com", "oss-cn-hangzhou"),
        ("https://obs.cn-north-4.myhuaweicloud.com", "cn-north-4"),
        ("https://ceph.example.com:7480", "us-east-1"),
    ],
)
def test_region_comes_from_the_endpoint(endpoint: str, region: str) -> None:
    assert region_of(endpoint) == region


@pytest.mark.parametrize(
    ("endpoint", "name", "addressing", "virtual"),
    [
        ("https://s3.eu-central-1.amazonaws.com", "rec", Addressing.BY_ENDPOINT, True),
        ("https://s3.eu-central-1.amazonaws.com", "rec.example.com", Addressing.BY_ENDPOINT, False),
        ("https://minio.example.com", "rec", Addressing.BY_ENDPOINT, False),
        ("https://oss-cn-hangzhou.aliyuncs.com", "rec", Addressing.VIRTUAL, True),
        ("https://192.0.2.1", "rec", Addressing.VIRTUAL, False),
        ("https://ceph.example.com", "rec", Addressing.PATH, False),
    ],
)
def test_bucket_goes_where_the_service_expects_it(
    endpoint: str, name: str, addressing: Addressing, virtual: bool
) -> None:
    assert uses_virtual_hosts(Access(endpoint, name, "key", Secret("secret"), addressing)) is virtual


def test_virtual_bucket_is_in_front_of_the_host() -> None:
    hosts: list[str] = []

    def noted(host: str, port: int) -> DialTarget:
        hosts.append(host)
        raise TargetUnknown("")

    access = Access("https://oss-cn-hangzhou.aliyuncs.com", "rec", "key", Secret("secret"), Addressing.VIRTUAL)
    with pytest.raises(StorageFailed):
        connect(access, storage_id=STORAGE_ID, check=noted).probe()
    assert hosts == ["rec.oss-cn-hangzhou.aliyuncs.com"]
