"""Each part of the product inherits only the secrets that it needs."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from postern.entrypoints.environments import READERS, environ_of
from postern.entrypoints.supervisor import Part, Supervisor
from postern.entrypoints.up import parts
from postern.foundation.configuration.reference import SETTINGS_REFERENCE
from postern.foundation.settings import Settings
from postern.kernel.secret import Secret

ENVIRON = {
    "PATH": "/bin",
    "POSTERN_HOME": "/srv/postern",
    "POSTERN_ADMIN_PASSWORD": "MARK-admin",
    "DATABASE_URL": "postgresql://app:MARK-db@db.example.test:5433/postern?password=MARK-option",
    "POSTERN_REDIS_URL": "rediss://user:MARK-redis@cache.example.test:6380/1",
    "POSTERN_BOOTSTRAP_TOKEN": "MARK-boot",
    "POSTERN_HEALTH_TOKEN": "MARK-health",
    "PGPASSWORD": "MARK-libpq",
}


def _marks(environ: dict[str, str]) -> set[str]:
    return {part.split("@")[0].split("?")[0] for value in environ.values() for part in value.split("MARK-")[1:]}


@pytest.mark.parametrize(
    ("part", "marks"),
    [
        ("web", {"db", "option", "redis", "boot", "health", "libpq"}),
        ("worker", {"db", "option", "redis", "libpq"}),
        ("migrate", {"db", "option", "redis", "libpq"}),
        ("proxy", {"boot"}),
        ("redis", set()),
        ("host", set()),
        ("a part that nobody listed", set()),
    ],
)
def test_part_inherits_only_the_secrets_that_it_reads(part: str, marks: set[str]) -> None:
    inherited = environ_of(part, ENVIRON)
    assert _marks(inherited) == marks
    assert inherited["PATH"] == "/bin"
    assert inherited["POSTERN_HOME"] == "/srv/postern"


def test_proxy_knows_the_address_of_the_database_without_its_credentials() -> None:
    settings = Settings.load(environ_of("proxy", ENVIRON))
    assert (settings.database.host, settings.database.port) == ("db.example.test", 5433)
    assert settings.database.user == ""
    assert settings.redis_url == "rediss://cache.example.test:6380/1"
    assert not settings.redis_is_private


def test_every_secret_setting_names_its_readers() -> None:
    """A new secret setting fails here until its readers are listed."""
    plain = Settings.load({"POSTERN_HOME": "/srv/postern"})
    for name in (variable.name for variable in SETTINGS_REFERENCE):
        try:
            loaded = Settings.load({"POSTERN_HOME": "/srv/postern", name: "MARK"})
        except Exception:  # noqa: BLE001, S112 - not a free text, thus not a secret
            continue
        secret = any(
            isinstance(getattr(loaded, field.name), Secret) and getattr(plain, field.name) is None
            for field in fields(Settings)
        )
        assert not secret or name in READERS, name


def test_names_of_the_parts_are_the_names_of_the_readers(tmp_path: Path) -> None:
    settings = Settings.load({"POSTERN_HOME": str(tmp_path), "POSTERN_REDIS_URL": "redis://127.0.0.1:1/0"})
    named = {part.name for part in parts(settings, reload=False)}
    assert {"web", "worker", "proxy"} == named
    # The task monitor is started by a web process.
    assert set().union(*READERS.values()) <= named | {"migrate", "monitor"}


async def test_child_of_the_supervisor_has_no_admin_password_in_proc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTERN_ADMIN_PASSWORD", "MARK-admin")
    monkeypatch.setenv("DATABASE_URL", "postgresql://app:MARK-db@db.example.test/postern")
    out = tmp_path / "environ"
    code = f"import pathlib, time; pathlib.Path({str(out)!r}).touch(); time.sleep(600)"

    async def ready() -> bool:
        return out.exists()

    environ = b""

    async def on_up() -> None:
        nonlocal environ
        environ = Path(f"/proc/{supervisor.pid('proxy')}/environ").read_bytes()
        supervisor.stop()

    supervisor = Supervisor([Part(name="proxy", argv=(sys.executable, "-c", code), ready=ready)])
    await supervisor.run(on_up)
    assert b"MARK" not in environ
    assert b"DATABASE_URL=postgresql://db.example.test/postern" in environ


def test_first_administrators_password_reaches_migrate_through_a_pipe_and_files_are_private(tmp_path: Path) -> None:
    """With the umask of an ordinary shell and a data folder that everybody can read."""
    home = tmp_path / "home"
    home.mkdir()
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("POSTERN_", "DATABASE"))}
    answer = subprocess.run(
        [sys.executable, "-m", "postern.entrypoints", "migrate", "--json", "--admin-password-stdin"],
        input=b"gate-Keeper-of-the-wall-7",
        env={**environ, "POSTERN_HOME": str(home)},
        stdout=subprocess.PIPE,
        check=True,
        umask=0o022,
        timeout=300,
    )
    # no password was generated, because one was given
    assert json.loads(answer.stdout.splitlines()[-1]) == {"admin_password": None}
    wide = [str(path) for path in home.rglob("*") if path.lstat().st_mode & 0o077]
    assert wide == []
