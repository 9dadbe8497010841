"""Settings: defaults, valid values, and one clear line for a wrong value."""

import ipaddress
import socket
from pathlib import Path

import pytest

from postern.entrypoints.environments import environ_of
from postern.foundation.configuration.reference import SETTINGS_REFERENCE
from postern.foundation.configuration.secret_store import SecretStore
from postern.foundation.network.surroundings import own_services
from postern.foundation.settings import Settings
from postern.kernel.errors import SettingsError


def test_settings_with_an_empty_environment_have_the_built_in_defaults() -> None:
    settings = Settings.load({})
    assert settings.home == Path("var").absolute()
    assert str(settings.http) == "127.0.0.1:8080"
    assert str(settings.ssh) == "127.0.0.1:2222"
    assert settings.database.path == settings.home / "postern.sqlite3"
    assert settings.redis_url == f"unix://{settings.home}/run/redis.sock?db=0"
    assert settings.redis_is_private
    assert settings.admin_password is None
    # allowed because only this machine reaches the console, as in a trial installation
    assert settings.allow_local_targets


@pytest.mark.parametrize(
    ("value", "language"),
    [("", "zh-hans"), ("zh", "zh-hans"), ("zh-Hans", "zh-hans"), ("zh_hans", "zh-hans"), ("en", "en"), (" EN ", "en")],
)
def test_settings_have_the_language_of_the_installation(value: str, language: str) -> None:
    assert Settings.load({"POSTERN_LANGUAGE": value}).language == language


@pytest.mark.parametrize(("value", "seconds"), [("", None), (" ", None), ("0", 0), ("86400", 86400), (" 30 ", 30)])
def test_settings_give_live_sessions_time_at_shutdown(value: str, seconds: int | None) -> None:
    assert Settings.load({"POSTERN_SHUTDOWN_SECONDS": value}).shutdown_s == seconds


@pytest.mark.parametrize(
    ("environ", "address"),
    [
        ({}, "http://localhost:8080"),
        ({"POSTERN_HTTP": "127.0.0.1:18180"}, "http://localhost:18180"),
        ({"POSTERN_HTTP": "[::1]:18180"}, "http://localhost:18180"),
        ({"POSTERN_HTTP": "10.0.8.5:80"}, "http://10.0.8.5:80"),
        ({"POSTERN_HTTP": "[fd00::5]:80"}, "http://[fd00::5]:80"),
        ({"POSTERN_HTTP": "0.0.0.0:8080"}, f"http://{socket.gethostname()}:8080"),
        ({"POSTERN_ALLOWED_HOSTS": ".example.com,gate.example.com"}, "http://gate.example.com:8080"),
        ({"POSTERN_ALLOWED_HOSTS": "*"}, "http://localhost:8080"),
        ({"POSTERN_HTTPS": "yes", "POSTERN_ALLOWED_HOSTS": "gate.example.com"}, "https://gate.example.com"),
    ],
)
def test_address_of_the_console_follows_from_the_environment(environ: dict[str, str], address: str) -> None:
    assert Settings.load(environ).console_url == address


def test_settings_with_public_listener_refuse_local_targets() -> None:
    assert not Settings.load({"POSTERN_HTTP": "0.0.0.0:8080"}).allow_local_targets
    assert Settings.load({"POSTERN_HTTP": "0.0.0.0:8080", "POSTERN_ALLOW_LOCAL_TARGETS": "yes"}).allow_local_targets


def test_settings_parse_the_database_url() -> None:
    url = "postgresql://ann:p%40ss@db.example.test:6543/postern?sslmode=require"
    database = Settings.load({"DATABASE_URL": url}).database
    assert not database.is_sqlite
    assert (database.host, database.port, database.name, database.user) == ("db.example.test", 6543, "postern", "ann")
    assert database.password.reveal() == "p@ss"
    assert database.options == (("sslmode", "require"),)


def test_settings_use_the_socket_folder_of_the_database_url_as_host() -> None:
    database = Settings.load({"DATABASE_URL": "postgresql:///postern?host=/run/pg"}).database
    assert (database.host, database.name) == ("/run/pg", "postern")


def test_settings_parse_lists_of_networks_and_names() -> None:
    settings = Settings.load({"POSTERN_TRUSTED_PROXIES": "10.0.0.0/8, ::1", "POSTERN_ALLOWED_HOSTS": "a.example.test"})
    assert settings.trusted_proxies == (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("::1"))
    assert settings.allowed_hosts == ("a.example.test",)


def test_settings_keep_the_brackets_of_an_ipv6_listener() -> None:
    assert str(Settings.load({"POSTERN_HTTP": "[::1]:80"}).http) == "[::1]:80"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("POSTERN_HTTP", "8080"),
        ("POSTERN_HTTP", "127.0.0.1:99999"),
        ("POSTERN_SSH", "localhost:ssh"),
        ("DATABASE_URL", "mysql://x/y"),
        ("DATABASE_URL", "postgresql://host"),
        ("DATABASE_URL", "postgresql://host:port/x"),
        ("POSTERN_REDIS_URL", "http://x"),
        ("POSTERN_TRUSTED_PROXIES", "everybody"),
        ("POSTERN_ALLOWED_HOSTS", "a b"),
        ("POSTERN_HTTPS", "maybe"),
        ("POSTERN_LOG_LEVEL", "LOUD"),
        ("POSTERN_LANGUAGE", "de"),
        ("POSTERN_SSH_PUBLIC", "postern.example.com"),
        ("POSTERN_SHUTDOWN_SECONDS", "-1"),
        ("POSTERN_SHUTDOWN_SECONDS", "86401"),
        ("POSTERN_SHUTDOWN_SECONDS", "1.5"),
        ("POSTERN_SHUTDOWN_SECONDS", "soon"),
        ("POSTERN_TIME_ZONE", "Mars/Olympus"),
        ("POSTERN_TIME_ZONE", "../etc/passwd"),
        pytest.param("POSTERN_IMPORT_MAX_MB", "31", marks=pytest.mark.spec("S5-034", "S9-014")),
        ("POSTERN_IMPORT_MAX_MB", "0"),
        ("POSTERN_WEB_PROCESSES", "0"),
        ("POSTERN_WEB_PROCESSES", "33"),
        ("POSTERN_WEB_PROCESSES", "two"),
    ],
)
def test_wrong_setting_stops_the_start_with_one_line_that_names_it(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load({name: value})
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.spec("S5-034", "S9-014")
def test_size_limit_of_an_import_is_10_mb_by_default_and_at_most_30_mb() -> None:
    assert Settings.load({}).import_max_mb == 10
    assert Settings.load({"POSTERN_IMPORT_MAX_MB": "30"}).import_max_mb == 30


def test_web_processes_default_to_the_number_of_cores_but_at_most_four(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, processes in ((1, 1), (2, 2), (64, 4)):
        monkeypatch.setattr("os.sched_getaffinity", lambda _pid, cores=cores: set(range(cores)))
        assert Settings.load({}).web_processes == processes
    assert Settings.load({"POSTERN_WEB_PROCESSES": "16"}).web_processes == 16


def test_settings_never_print_their_secrets() -> None:
    environment = {
        "POSTERN_ADMIN_PASSWORD": "canary-1",
        "POSTERN_BOOTSTRAP_TOKEN": "canary-2",
        "DATABASE_URL": "postgresql://a:canary-3@h/d",
    }
    assert "canary" not in repr(Settings.load(environment))


def test_settings_reference_documents_every_variable_that_is_read() -> None:
    class Watched(dict[str, str]):
        seen: set[str] = set()

        def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
            self.seen.add(key)
            return default if default is not None else ""

    Settings.load(Watched())
    assert Watched.seen <= {variable.name for variable in SETTINGS_REFERENCE}


def test_ssh_limits_for_each_address_are_settings() -> None:
    assert Settings.load({}).ssh_limits.connections_per_address == 200
    environ = {
        "POSTERN_SSH_CONNECTIONS": "900",
        "POSTERN_SSH_SIGNING_IN": "90",
        "POSTERN_SSH_CONNECTIONS_PER_ADDRESS": "700",
        "POSTERN_SSH_SIGNING_IN_PER_ADDRESS": "70",
        "POSTERN_SSH_NEW_PER_ADDRESS": "7",
        "POSTERN_SSH_KEYS_PER_ADDRESS": "5",
    }
    limits = Settings.load(environ).ssh_limits
    assert (limits.connections, limits.signing_in) == (900, 90)
    assert (limits.connections_per_address, limits.signing_in_per_address, limits.new_per_address_per_s) == (700, 70, 7)
    assert limits.keys_per_address_per_s == 5
    for name in environ:
        for wrong in ("0", "-1", "many", "100001"):
            with pytest.raises(SettingsError, match=name):
                Settings.load({name: wrong})


VAULT = {"POSTERN_VAULT_ADDR": "https://vault.example:8200", "POSTERN_VAULT_TOKEN": "hvs.canary"}


def test_secrets_are_local_by_default_and_vault_is_not_configured() -> None:
    loaded = Settings.load({})
    assert (loaded.secret_store, loaded.vault) == (SecretStore.LOCAL, None)


def test_vault_is_configured_by_address_and_token() -> None:
    loaded = Settings.load({**VAULT, "POSTERN_SECRET_STORE": "vault-kv2", "POSTERN_VAULT_KV_MOUNT": "/kv/team/"})
    assert loaded.secret_store is SecretStore.VAULT_KV2
    assert loaded.vault is not None
    assert (loaded.vault.address, loaded.vault.host, loaded.vault.port) == (
        VAULT["POSTERN_VAULT_ADDR"],
        "vault.example",
        8200,
    )
    assert (loaded.vault.kv_mount, loaded.vault.folder, loaded.vault.timeout_s) == ("kv/team", "postern", 5)
    assert "canary" not in repr(loaded)


@pytest.mark.parametrize(
    ("named", "environ"),
    [
        ("POSTERN_SECRET_STORE", {"POSTERN_SECRET_STORE": "vault"}),
        ("POSTERN_VAULT_ADDR", {"POSTERN_SECRET_STORE": "vault-kv2"}),
        ("POSTERN_VAULT_ADDR", {**VAULT, "POSTERN_VAULT_ADDR": "vault.example:8200"}),
        ("POSTERN_VAULT_ADDR", {**VAULT, "POSTERN_VAULT_ADDR": "http://vault.example:8200"}),
        ("POSTERN_VAULT_ADDR", {**VAULT, "POSTERN_VAULT_ADDR": "https://ann:pw@vault.example"}),
        ("POSTERN_VAULT_ADDR", {**VAULT, "POSTERN_VAULT_ADDR": "https://vault.example/v1"}),
        ("POSTERN_VAULT_ADDR", {**VAULT, "POSTERN_VAULT_ADDR": "https://vault.example:99999"}),
        ("POSTERN_VAULT_TOKEN", {"POSTERN_VAULT_ADDR": "https://v.example", "POSTERN_SECRET_STORE": "vault-transit"}),
        ("POSTERN_VAULT_TOKEN", {**VAULT, "POSTERN_VAULT_TOKEN": "two\nlines"}),
        ("POSTERN_VAULT_ROLE_ID", {**VAULT, "POSTERN_VAULT_ROLE_ID": "r", "POSTERN_VAULT_SECRET_ID": "s"}),
        ("POSTERN_VAULT_SECRET_ID", {"POSTERN_VAULT_ADDR": "https://v.example", "POSTERN_VAULT_ROLE_ID": "r"}),
        ("POSTERN_VAULT_KV_MOUNT", {**VAULT, "POSTERN_VAULT_KV_MOUNT": "../sys"}),
        ("POSTERN_VAULT_FOLDER", {**VAULT, "POSTERN_VAULT_FOLDER": "a//b"}),
        ("POSTERN_VAULT_TRANSIT_KEY", {**VAULT, "POSTERN_VAULT_TRANSIT_KEY": "a?b"}),
        ("POSTERN_VAULT_NAMESPACE", {**VAULT, "POSTERN_VAULT_NAMESPACE": "a b"}),
        ("POSTERN_VAULT_TIMEOUT", {**VAULT, "POSTERN_VAULT_TIMEOUT": "31"}),
    ],
)
def test_wrong_setting_of_vault_stops_the_start(named: str, environ: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load(environ)
    assert named in str(caught.value)
    assert "pw" not in str(caught.value)


def test_services_that_read_secrets_need_a_token_and_readable_files(tmp_path: Path) -> None:
    broken = tmp_path / "ca.pem"
    broken.write_text("no certificate")
    for named, more in (
        ("POSTERN_VAULT_TOKEN", {"POSTERN_VAULT_TOKEN": ""}),
        ("POSTERN_VAULT_CA_FILE", {"POSTERN_VAULT_CA_FILE": str(tmp_path / "missing")}),
        ("POSTERN_VAULT_CA_FILE", {"POSTERN_VAULT_CA_FILE": str(broken)}),
        (
            "POSTERN_VAULT_TOKEN_FILE",
            {"POSTERN_VAULT_TOKEN": "", "POSTERN_VAULT_TOKEN_FILE": str(tmp_path / "missing")},
        ),
    ):
        loaded = Settings.load({**VAULT, **more})
        assert loaded.vault is not None
        with pytest.raises(SettingsError, match=named):
            loaded.vault.require_usable()


def test_vault_is_a_service_of_postern_that_no_target_may_be() -> None:
    assert ("vault.example", 8200) in own_services(Settings.load(VAULT))


def test_only_services_that_read_secrets_get_the_token_of_vault() -> None:
    environ = {**VAULT, "POSTERN_SECRET_STORE": "vault-kv2", "POSTERN_VAULT_SECRET_ID": "s"}
    for part in ("proxy", "runner", "migrate"):
        inherited = environ_of(part, environ)
        assert inherited == {"POSTERN_VAULT_ADDR": VAULT["POSTERN_VAULT_ADDR"]}
        Settings.load(inherited)
    assert environ_of("web", environ) == environ_of("worker", environ) == environ
