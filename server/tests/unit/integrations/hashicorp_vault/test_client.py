"""The client of HashiCorp Vault against a stand-in over HTTP(S)."""

import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings

from peers.certificates import Certificate, make_certificate
from peers.vault_server import (
    ROLE_ID,
    ROOT_TOKEN,
    SECRET_ID,
    Token,
    Vault,
    serving,
)
from postern.foundation.configuration.secret_store import SecretStore, VaultSettings
from postern.foundation.network import outbound
from postern.foundation.settings import Settings
from postern.integrations.hashicorp_vault import client as vault_client
from postern.integrations.hashicorp_vault.client import VaultClient
from postern.integrations.hashicorp_vault.errors import (
    VaultMissing,
    VaultRefused,
    VaultSealed,
    VaultUnavailable,
    VaultUndecryptable,
)
from postern.integrations.hashicorp_vault.sign_in import SignIns
from postern.kernel.clock import monotonic_s

#: For calls that must run into their limit. All others have time, because the machine may be busy.
HASTY = {"POSTERN_VAULT_TIMEOUT": "1"}
VALUE = "canary-of-a-target-3e81"


@pytest.fixture
def vault() -> Vault:
    return Vault()


@pytest.fixture
def address(vault: Vault) -> Iterator[str]:
    with serving(vault) as served:
        yield served
    assert vault.faults == []


def config_of(address: str, **more: str) -> VaultSettings:
    environ = {"POSTERN_VAULT_ADDR": address, "POSTERN_VAULT_TIMEOUT": "20"}
    if not any(name.endswith(("TOKEN_FILE", "ROLE_ID")) for name in more):
        environ["POSTERN_VAULT_TOKEN"] = ROOT_TOKEN
    loaded = VaultSettings.load({**environ, **more}, SecretStore.VAULT_KV2)
    assert loaded is not None
    return loaded


def client_of(address: str, **more: str) -> VaultClient:
    return VaultClient(config_of(address, **more), outbound.check_secret_store)


def with_role(address: str, **more: str) -> VaultClient:
    return client_of(address, POSTERN_VAULT_ROLE_ID=ROLE_ID, POSTERN_VAULT_SECRET_ID=SECRET_ID, **more)


@pytest.fixture
def client(address: str) -> VaultClient:
    return client_of(address)


class TestDocuments:
    def test_written_document_is_read_by_its_version(self, client: VaultClient) -> None:
        assert client.write("postern/a", {"value": VALUE}) == 1
        assert client.read("postern/a", 1) == {"value": VALUE}

    @pytest.mark.parametrize("text", ["", "密码 \u2028\n", "x" * 40_000, '"\\', "\x00"])
    def test_any_text_returns_as_it_was_written(self, client: VaultClient, text: str) -> None:
        client.write("postern/a", {"value": text})
        assert client.read("postern/a", 1) == {"value": text}

    def test_used_path_is_not_written_again(self, client: VaultClient, vault: Vault) -> None:
        client.write("postern/a", {"value": VALUE})
        with pytest.raises(VaultRefused):
            client.write("postern/a", {"value": "another"})
        assert vault.values() == [VALUE]

    def test_write_whose_answer_was_lost_is_repeated_without_harm(self, client: VaultClient, vault: Vault) -> None:
        vault.lost_answers = 1
        assert client.write("postern/a", {"value": VALUE}) == 1
        assert [len(versions) for versions in vault.documents.values()] == [1]

    @pytest.mark.parametrize("how", ["never written", "deleted", "destroyed", "another version"])
    def test_missing_version_is_told_apart_from_a_failure(self, client: VaultClient, vault: Vault, how: str) -> None:
        client.write("postern/a", {"value": VALUE})
        if how == "deleted":
            vault.delete_version("postern/a")
        if how == "destroyed":
            vault.documents["postern/a"][0].destroyed, vault.documents["postern/a"][0].data = True, None
        with pytest.raises(VaultMissing):
            client.read("postern/b" if how == "never written" else "postern/a", 2 if how == "another version" else 1)

    def test_names_of_a_folder_are_listed_and_removed(self, client: VaultClient) -> None:
        assert client.names("postern") == []
        client.write("postern/t/a", {"value": VALUE})
        client.write("postern/b", {"value": VALUE})
        assert client.names("postern") == ["b", "t/"]
        client.remove("postern/t/a")
        client.remove("postern/t/a")
        assert client.names("postern") == ["b"]


class TestTransit:
    def test_encrypted_value_is_decrypted_also_after_a_rotation(self, client: VaultClient, vault: Vault) -> None:
        wrapped = client.encrypt(b"\x00data key\xff")
        vault.rotate()
        assert wrapped.startswith("vault:v1:")
        assert client.decrypt(wrapped) == b"\x00data key\xff"

    def test_rewrap_uses_the_newest_key_and_marks_what_cannot_be_decrypted(
        self, client: VaultClient, vault: Vault
    ) -> None:
        wrapped = client.encrypt(b"data key")
        vault.rotate()
        first, broken = client.rewrap([wrapped, "vault:v1:AAAA"])
        assert first is not None
        assert first.startswith("vault:v2:")
        assert client.decrypt(first) == b"data key"
        assert broken is None

    def test_altered_ciphertext_is_not_a_failure_of_vault(self, client: VaultClient) -> None:
        with pytest.raises(VaultUndecryptable):
            client.decrypt("vault:v1:AAAA")


class TestFailures:
    @pytest.mark.parametrize("status", [412, 429, 500, 502, 503])
    def test_passing_failure_is_repeated(self, client: VaultClient, vault: Vault, status: int) -> None:
        client.write("postern/a", {"value": VALUE})
        vault.refusals = [status, status]
        assert client.read("postern/a", 1) == {"value": VALUE}

    @pytest.mark.parametrize("fault", ["hangs", "drips", "refuses", "is gone"])
    def test_call_ends_within_its_time_and_the_next_ones_at_once(self, vault: Vault, fault: str) -> None:
        with serving(vault) as address:
            client_of(address).write("postern/a", {"value": VALUE})
            client = client_of(address, **HASTY)
            if fault == "hangs":
                vault.hanging = threading.Event()
            if fault == "drips":
                vault.dripping_s = 0.2
            if fault == "refuses":
                vault.refusals = [500] * 1000
            if fault != "is gone":
                self.assert_bounded(client)
        if fault == "is gone":
            self.assert_bounded(client)

    @staticmethod
    def assert_bounded(client: VaultClient) -> None:
        started = monotonic_s()
        with pytest.raises(VaultUnavailable):
            client.read("postern/a", 1)
        assert monotonic_s() - started < 5
        started = monotonic_s()
        for _ in range(20):
            with pytest.raises(VaultUnavailable):
                client.read("postern/a", 1)
        assert monotonic_s() - started < 2

    def test_one_caller_tries_again_after_a_rest(
        self, address: str, vault: Vault, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client_of(address).write("postern/a", {"value": VALUE})
        client = client_of(address, **HASTY)
        monkeypatch.setattr(vault_client, "_REST_S", 0.0)
        monkeypatch.setattr(vault_client, "_TRIAL_S", 20)
        vault.refusals = [500] * 1000
        with pytest.raises(VaultUnavailable):
            client.read("postern/a", 1)
        vault.refusals = []
        client._config = config_of(address)
        assert client.read("postern/a", 1) == {"value": VALUE}

    def test_sealed_vault_is_told_at_once(self, client: VaultClient, vault: Vault) -> None:
        vault.sealed = True
        with pytest.raises(VaultSealed) as caught:
            client.read("postern/a", 1)
        assert caught.value.reason == "it is sealed"
        assert len([asked for asked in vault.asked if "/data/" in asked.path]) == 1, "it was asked again"
        with pytest.raises(VaultSealed):
            client.state()
        vault.sealed = False
        assert client.state().version == "1.18.3"

    def test_redirect_is_not_followed(self, client: VaultClient, vault: Vault) -> None:
        evil = Vault()
        with serving(evil) as elsewhere:
            vault.redirect_to = elsewhere
            with pytest.raises(VaultUnavailable) as caught:
                client.read("postern/a", 1)
        assert evil.asked == []
        assert "redirect" in caught.value.reason

    def test_k36_forbidden_address_is_not_dialled(self, vault: Vault, address: str) -> None:
        # As if the name of Vault led to the metadata service, or to Postern's own database, when it is looked up again.
        port = int(address.rpartition(":")[2])
        own = Settings.load({"POSTERN_HTTP": f"127.0.0.1:{port}"})
        with mock.patch.object(settings, "POSTERN", own):
            for host in ("127.0.0.1", "169.254.169.254"):
                config = replace(config_of(address, **HASTY), address=f"http://{host}:{port}", host=host)
                with pytest.raises(VaultUnavailable):
                    VaultClient(config, outbound.check_secret_store).read("postern/a", 1)
        assert vault.asked == []

    def test_proxy_and_credentials_of_the_environment_are_ignored(
        self, vault: Vault, address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ann password other\n")
        (tmp_path / ".vault-token").write_text("of-the-home-folder")
        for name, value in {
            "HTTP_PROXY": "http://127.0.0.1:9",
            "VAULT_TOKEN": "of-the-environment",
            "VAULT_NAMESPACE": "elsewhere",
            "HOME": str(tmp_path),
        }.items():
            monkeypatch.setenv(name, value)
        with_role(address).write("postern/a", {"value": VALUE})
        assert {asked.token for asked in vault.asked}.isdisjoint({"of-the-environment", "of-the-home-folder"})


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


class TestTls:
    def test_certificate_of_the_named_authority_is_accepted(self, vault: Vault, certificate: Certificate) -> None:
        with serving(vault, tls=certificate) as address:
            client = client_of(address, POSTERN_VAULT_CA_FILE=str(certificate.authority))
            assert client.write("postern/a", {"value": VALUE}) == 1
            assert client.read("postern/a", 1) == {"value": VALUE}

    @pytest.mark.parametrize("wrong", ["authority", "system", "name"])
    def test_k20_other_certificate_is_refused_before_anything_is_sent(
        self, vault: Vault, certificate: Certificate, tmp_path: Path, wrong: str
    ) -> None:
        served = make_certificate(tmp_path, name="other.example") if wrong == "name" else certificate
        trusted = {
            "authority": make_certificate(tmp_path / "b").authority,
            "name": served.authority,
            "system": None,
        }[wrong]
        more = {} if trusted is None else {"POSTERN_VAULT_CA_FILE": str(trusted)}
        with serving(vault, tls=served) as address, pytest.raises(VaultUnavailable) as caught:
            client_of(address, **more).read("postern/a", 1)
        assert "certificate" in caught.value.reason
        assert vault.asked == []

    def test_hanging_handshake_ends_within_the_time(self, certificate: Certificate) -> None:
        vault = Vault(hanging=threading.Event())
        with serving(vault, tls=certificate) as address:
            started = monotonic_s()
            with pytest.raises(VaultUnavailable):
                client_of(address, **HASTY, POSTERN_VAULT_CA_FILE=str(certificate.authority)).read("postern/a", 1)
            assert monotonic_s() - started < 5


class TestSignIn:
    def test_namespace_is_sent(self, vault: Vault, address: str) -> None:
        vault.namespace = "team/a"
        client = client_of(address, POSTERN_VAULT_NAMESPACE="team/a")
        assert client.write("postern/a", {"value": VALUE}) == 1

    def test_token_is_renewed_before_it_ends(self, vault: Vault, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        vault.lease_s = 900
        client = with_role(address)
        client.write("postern/a", {"value": VALUE})
        later(monkeypatch, 601)
        client.read("postern/a", 1)
        assert (vault.sign_ins, vault.renewals) == (1, 1)

    def test_token_of_the_settings_is_renewed_before_it_ends(
        self, vault: Vault, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        vault.tokens["hvs.given"] = Token(ends_at=monotonic_s() + 900, renewable=True, lease_s=900)
        client = client_of(address, POSTERN_VAULT_TOKEN="hvs.given")
        client.check()
        later(monkeypatch, 601)
        client.check()
        assert (vault.sign_ins, vault.renewals) == (0, 1)

    def test_token_near_its_maximum_is_replaced(
        self, vault: Vault, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        vault.lease_s, vault.max_lease_s = 900, 300
        client = with_role(address)
        client.write("postern/a", {"value": VALUE})
        later(monkeypatch, 601)
        client.read("postern/a", 1)
        assert vault.sign_ins == 2

    def test_revoked_token_makes_one_sign_in_for_all_threads(self, vault: Vault, address: str) -> None:
        client = with_role(address)
        client.write("postern/a", {"value": VALUE})
        vault.end_tokens()
        read: list[Any] = []
        threads = [threading.Thread(target=lambda: read.append(client.read("postern/a", 1))) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert read == [{"value": VALUE}] * 12
        assert vault.sign_ins == 2

    def test_missing_right_makes_one_sign_in_and_is_told(self, vault: Vault, address: str) -> None:
        client = with_role(address)
        client.write("postern/a", {"value": VALUE})
        vault.forbidden.add("/data/")
        with pytest.raises(VaultRefused) as caught:
            client.read("postern/a", 1)
        assert (caught.value.code, vault.sign_ins) == ("secret_store_refused", 2)
        vault.forbidden.clear()
        assert client.read("postern/a", 1) == {"value": VALUE}

    def test_token_file_is_read_again_when_the_token_is_refused(
        self, vault: Vault, address: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "token"
        file.write_text("hvs.ended\n")
        client = client_of(address, POSTERN_VAULT_TOKEN_FILE=str(file))
        with pytest.raises(VaultRefused):
            client.write("postern/a", {"value": VALUE})
        file.write_text(f"{ROOT_TOKEN}\n")
        assert client.write("postern/a", {"value": VALUE}) == 1

    def test_wrong_secret_id_is_told(self, address: str) -> None:
        with pytest.raises(VaultRefused) as caught:
            client_of(address, POSTERN_VAULT_ROLE_ID=ROLE_ID, POSTERN_VAULT_SECRET_ID="wrong").check()
        assert "AppRole" in caught.value.reason


def test_check_reports_a_slow_vault_without_refusing_others(
    client: VaultClient, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vault_client, "_CHECK_S", 20)
    client.check()
    client.write("postern/a", {"value": VALUE})
    monkeypatch.setattr(vault_client, "_CHECK_S", 0.2)
    vault.slow_s = 0.5
    with pytest.raises(VaultUnavailable):
        client.check()
    vault.slow_s = 0
    assert client.read("postern/a", 1) == {"value": VALUE}


def test_no_log_error_or_repr_has_the_token_or_a_secret(
    vault: Vault, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = with_role(address)
    wrapped = client.encrypt(VALUE.encode())
    texts = [repr(client), repr(client._sign_ins), repr(client._sign_ins.current()), repr(client._config)]
    client.write("postern/a", {"value": VALUE})
    client.read("postern/a", 1)
    client._config = replace(client._config, timeout_s=1)
    failures: list[BaseException] = []
    for prepare in ("refuse", "forbid", "seal", "conflict", "sign in"):
        vault.refusals = [500] * 50 if prepare == "refuse" else []
        vault.forbidden = {"/data/"} if prepare == "forbid" else set()
        vault.sealed = prepare == "seal"
        client._rest.worked()
        try:
            if prepare == "sign in":
                client_of(address, POSTERN_VAULT_ROLE_ID=ROLE_ID, POSTERN_VAULT_SECRET_ID=VALUE).check()
            client.write("postern/a" if prepare == "conflict" else f"postern/{prepare}", {"value": f"{VALUE}x"})
        except VaultUnavailable as error:
            failures.append(error)
            while (cause := error.__cause__) is not None:
                failures.append(cause)
                error = cause  # type: ignore[assignment]  # walks up the chain
    assert len(failures) >= 5
    texts += [f"{failure!r} {failure} {getattr(failure, 'reason', '')}" for failure in failures]
    texts += [caplog.text, wrapped]
    tokens = [asked.token for asked in vault.asked if asked.token]
    for hidden in (VALUE, SECRET_ID, *tokens):
        assert all(hidden not in text for text in texts)


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """The clock by which tokens are renewed moves on; the stand-in's does not."""
    moved = mock.Mock(side_effect=lambda: monotonic_s() + seconds)
    monkeypatch.setattr("postern.integrations.hashicorp_vault.sign_in.monotonic_s", moved)


def test_sign_ins_are_not_printed() -> None:
    assert "token" not in repr(SignIns(config_of("http://127.0.0.1:1"), mock.Mock())).lower()
