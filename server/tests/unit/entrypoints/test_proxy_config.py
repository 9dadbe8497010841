"""The proxy configuration that follows from the settings of an installation."""

from pathlib import Path

import pytest

from postern.entrypoints.dialing import dial_policy_of
from postern.entrypoints.proxy_settings import config_from, files_address_of, fronts_of
from postern.foundation.settings import Settings
from postern.kernel.dialing import Refusal
from postern.proxies.ssh.part import SshFront
from postern.proxies.terminal.part import TerminalFront


def settings_of(home: Path, **environ: str) -> Settings:
    return Settings.load({"POSTERN_HOME": str(home), "POSTERN_BOOTSTRAP_TOKEN": "token", **environ})


def test_limits_for_each_address_reach_the_proxy(tmp_path: Path) -> None:
    settings = settings_of(
        tmp_path,
        POSTERN_SSH_CONNECTIONS="900",
        POSTERN_SSH_SIGNING_IN="90",
        POSTERN_SSH_CONNECTIONS_PER_ADDRESS="700",
        POSTERN_SSH_SIGNING_IN_PER_ADDRESS="70",
        POSTERN_SSH_NEW_PER_ADDRESS="7",
        POSTERN_SSH_KEYS_PER_ADDRESS="5",
    )
    (limits,) = (front.limits for front in fronts_of(settings) if isinstance(front, SshFront))
    assert (limits.connections_total, limits.connections_unauthenticated) == (900, 90)
    assert (limits.connections_per_source, limits.unauthenticated_per_source) == (700, 70)
    assert limits.new_connections_per_source_per_s == 7
    assert limits.keys_per_source_per_s == 5


def test_k36_proxy_knows_every_service_of_its_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTERN_STREAM", "127.0.0.1:9022")
    monkeypatch.setenv("POSTERN_CONTROL_URL", "http://203.0.113.5:8443")
    settings = settings_of(
        tmp_path,
        POSTERN_HTTP="0.0.0.0:8080",
        POSTERN_SSH="0.0.0.0:0",
        DATABASE_URL="postgresql://ann@localhost:6543/postern",
        POSTERN_REDIS_URL="redis://127.0.0.1:6400/0",
        POSTERN_ALLOW_LOCAL_TARGETS="yes",
    )
    (terminal,) = (front for front in fronts_of(settings) if isinstance(front, TerminalFront))
    policy = dial_policy_of(
        settings, config_from(settings).control_url, lambda: [("localhost", 40022), *terminal.addresses()]
    )
    around = policy.look_around()

    for port in (8080, 40022, 6543, 6400, 9022):
        for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
            assert policy.refusal(address, port, around) is Refusal.OWN_SERVICE, port
    assert policy.refusal("203.0.113.5", 8443, around) is Refusal.OWN_SERVICE
    assert policy.refusal("127.0.0.1", 22, around) is None


@pytest.mark.parametrize(
    ("stream", "files", "address"),
    [
        ("", "", "unix:{run}/proxy-files.sock"),
        ("unix:/srv/stream.sock", "", "unix:{run}/proxy-files.sock"),
        ("10.0.8.5:7000", "", ""),
        ("10.0.8.5:7000", "10.0.8.5:7001", "10.0.8.5:7001"),
        ("", "unix:/srv/files.sock", "unix:/srv/files.sock"),
    ],
)
def test_proxy_on_another_machine_has_an_endpoint_for_files_only_if_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: str, files: str, address: str
) -> None:
    monkeypatch.setenv("POSTERN_STREAM", stream)
    monkeypatch.setenv("POSTERN_FILES", files)
    settings = settings_of(tmp_path)
    assert files_address_of(settings) == address.format(run=settings.run_dir)
