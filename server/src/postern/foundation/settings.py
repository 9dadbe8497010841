"""All settings of an installation as one typed, frozen value, read once from the environment.

A wrong value raises `SettingsError` with one line that names the variable and says what it should be.
"""

import hashlib
import os
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from postern.foundation.configuration.environ import (
    Address,
    Network,
    address_of,
    choice,
    count,
    count_between,
    flag,
    hosts,
    networks,
    secret_of,
)
from postern.foundation.configuration.secret_store import SecretStore, VaultSettings, secret_store_of
from postern.kernel.errors import SettingsError
from postern.kernel.secret import Secret

_LONGEST_RUN_DIR_BYTES: Final = 80
_MOST_WEB_PROCESSES: Final = 32
#: Upper limit of the default: database and disk reach their limits before more web processes help.
_WEB_PROCESSES: Final = 4
_MOST_CONNECTIONS: Final = 100_000
_MOST_INPUT_MB: Final = 1 << 20
_LONGEST_SHUTDOWN_S: Final = 24 * 3600
#: Value of POSTERN_LANGUAGE → language code of Django and the proxies.
_LANGUAGES: Final = {"zh-hans": "zh-hans", "zh": "zh-hans", "en": "en"}
_LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")
_EVERY_INTERFACE: Final = frozenset({"0.0.0.0", "::"})


@dataclass(frozen=True, slots=True)
class Database:
    """PostgreSQL, or SQLite when `path` is set."""

    path: Path | None = None
    host: str = ""
    port: int = 5432
    name: str = ""
    user: str = ""
    password: Secret = field(default_factory=lambda: Secret(""))
    options: tuple[tuple[str, str], ...] = ()

    @property
    def is_sqlite(self) -> bool:
        return self.path is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SshLimits:
    """Limits of SSH connections: in total, and for each address (an IPv4 address, or a /64 network of IPv6)."""

    connections: int
    signing_in: int
    connections_per_address: int
    signing_in_per_address: int
    new_per_address_per_s: int
    keys_per_address_per_s: int

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> "SshLimits":
        """Raises SettingsError."""

        def count(name: str, default: int) -> int:
            return count_between(environ, name, default, 1, _MOST_CONNECTIONS)

        return cls(
            connections=count("POSTERN_SSH_CONNECTIONS", 2000),
            signing_in=count("POSTERN_SSH_SIGNING_IN", 500),
            connections_per_address=count("POSTERN_SSH_CONNECTIONS_PER_ADDRESS", 200),
            signing_in_per_address=count("POSTERN_SSH_SIGNING_IN_PER_ADDRESS", 30),
            new_per_address_per_s=count("POSTERN_SSH_NEW_PER_ADDRESS", 20),
            keys_per_address_per_s=count("POSTERN_SSH_KEYS_PER_ADDRESS", 50),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one installation. `SETTINGS_REFERENCE` documents each variable."""

    home: Path
    http: Address
    web_processes: int
    ssh: Address
    ssh_public: Address | None
    ssh_limits: SshLimits
    admin_password: Secret | None
    database: Database
    redis_url: str
    redis_is_private: bool
    trusted_proxies: tuple[Network, ...]
    allowed_hosts: tuple[str, ...]
    https: bool
    bootstrap_token: Secret | None
    kek_file: Path
    #: The store of new secrets. Existing secrets stay where they are until they are moved.
    secret_store: SecretStore
    vault: VaultSettings | None
    log_level: str
    language: str
    allow_local_targets: bool
    blocked_networks: tuple[Network, ...]
    console_dist: Path
    time_zone: str
    health_token: Secret | None
    #: A file outside, to which each signed checkpoint of the audit log is appended.
    audit_witness: Path | None
    recording_reserve_mb: int
    recording_input_mb: int
    import_max_mb: int
    #: None: not set, and each way of running has its own default.
    shutdown_s: int | None
    #: Variables that fix settings of the console (`POSTERN_SET_…`), by name. Some are secrets.
    preferences: tuple[tuple[str, Secret], ...]

    @property
    def secrets_dir(self) -> Path:
        return self.home / "secrets"

    @property
    def console_url(self) -> str:
        """The console's address, as far as the environment tells. An administrator's SITE_URL takes precedence.

        Prefers a host of POSTERN_ALLOWED_HOSTS, because nobody uses the address of POSTERN_HTTP behind a reverse proxy.
        """
        scheme = "https" if self.https else "http"
        named = next((host for host in self.allowed_hosts if host[0] not in ".*"), None)
        if named is not None and self.https:
            return f"{scheme}://{named}"
        host = named or self.http.host
        if named is None and self.http.is_loopback:
            host = "localhost"
        elif host in _EVERY_INTERFACE:
            host = socket.gethostname()
        return f"{scheme}://{Address(host, self.http.port)}"

    @property
    def run_dir(self) -> Path:
        """Folder of sockets: beside the data, or in the system's temporary folder when that path would be too long."""
        return _run_dir(self.home)

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> "Settings":
        """Read and check every setting. Touches no file. Raises SettingsError."""
        home = Path(environ.get("POSTERN_HOME") or "var").expanduser().absolute()
        redis_url = environ.get("POSTERN_REDIS_URL", "")
        if redis_url and urlsplit(redis_url).scheme not in {"redis", "rediss", "unix"}:
            raise SettingsError("POSTERN_REDIS_URL must start with redis://, rediss:// or unix://")
        http = address_of(environ, "POSTERN_HTTP", "127.0.0.1:8080")
        secret_store = secret_store_of(environ)
        return cls(
            home=home,
            http=http,
            web_processes=count_between(environ, "POSTERN_WEB_PROCESSES", _cores(), 1, _MOST_WEB_PROCESSES),
            ssh=address_of(environ, "POSTERN_SSH", "127.0.0.1:2222"),
            ssh_public=(
                address_of(environ, "POSTERN_SSH_PUBLIC", "postern.example.com:22")
                if environ.get("POSTERN_SSH_PUBLIC", "").strip()
                else None
            ),
            ssh_limits=SshLimits.load(environ),
            admin_password=secret_of(environ, "POSTERN_ADMIN_PASSWORD"),
            database=_database(environ.get("DATABASE_URL", ""), home),
            redis_url=redis_url or f"unix://{_run_dir(home)}/redis.sock?db=0",
            redis_is_private=not redis_url,
            trusted_proxies=networks(environ, "POSTERN_TRUSTED_PROXIES"),
            allowed_hosts=hosts(environ, "POSTERN_ALLOWED_HOSTS"),
            https=flag(environ, "POSTERN_HTTPS"),
            bootstrap_token=secret_of(environ, "POSTERN_BOOTSTRAP_TOKEN"),
            kek_file=Path(environ.get("POSTERN_KEK_FILE") or home / "secrets" / "kek.json").expanduser().absolute(),
            secret_store=secret_store,
            vault=VaultSettings.load(environ, secret_store),
            log_level=choice(environ, "POSTERN_LOG_LEVEL", "INFO", _LOG_LEVELS),
            language=_language(environ),
            # An installation that listens on loopback only is being tried out, so its own sshd is a legitimate target.
            allow_local_targets=flag(environ, "POSTERN_ALLOW_LOCAL_TARGETS", default=http.is_loopback),
            blocked_networks=networks(environ, "POSTERN_BLOCKED_NETWORKS"),
            console_dist=Path(environ.get("POSTERN_CONSOLE_DIST") or _default_console_dist()).expanduser().absolute(),
            time_zone=_time_zone(environ),
            health_token=secret_of(environ, "POSTERN_HEALTH_TOKEN"),
            audit_witness=_witness(environ),
            recording_reserve_mb=count(environ, "POSTERN_RECORDING_RESERVE_MB", 1024),
            recording_input_mb=count_between(environ, "POSTERN_RECORDING_INPUT_MB", 1024, 1, _MOST_INPUT_MB),
            import_max_mb=count_between(environ, "POSTERN_IMPORT_MAX_MB", 10, 1, 30),
            shutdown_s=(
                count_between(environ, "POSTERN_SHUTDOWN_SECONDS", 0, 0, _LONGEST_SHUTDOWN_S)
                if environ.get("POSTERN_SHUTDOWN_SECONDS", "").strip()
                else None
            ),
            preferences=tuple(
                (name, Secret(text)) for name, text in environ.items() if name.startswith("POSTERN_SET_")
            ),
        )


def _run_dir(home: Path) -> Path:
    """The path of a Unix socket can have 107 bytes; the longest file name in the folder needs about twenty of them."""
    beside = home / "run"
    if len(os.fsencode(beside)) <= _LONGEST_RUN_DIR_BYTES:
        return beside
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"postern-{os.geteuid()}-{digest}"


def _witness(environ: Mapping[str, str]) -> Path | None:
    text = environ.get("POSTERN_AUDIT_WITNESS", "").strip()
    return Path(text).expanduser().absolute() if text else None


def _default_console_dist() -> Path:
    """console/dist beside server/ in the source tree, or `console` inside an installed package."""
    package = Path(__file__).resolve().parents[1]
    source_tree = package.parents[2] / "console" / "dist"
    return source_tree if source_tree.parent.is_dir() else package / "console"


def _cores() -> int:
    """The default number of web processes for the cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _WEB_PROCESSES)


def _language(environ: Mapping[str, str]) -> str:
    text = environ.get("POSTERN_LANGUAGE", "").strip().lower().replace("_", "-") or "zh-hans"
    if text not in _LANGUAGES:
        raise SettingsError(f"POSTERN_LANGUAGE must be zh-hans or en; it is {text!r}")
    return _LANGUAGES[text]


def _time_zone(environ: Mapping[str, str]) -> str:
    name = environ.get("POSTERN_TIME_ZONE") or "UTC"
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise SettingsError(f"POSTERN_TIME_ZONE must be a zone such as Europe/Berlin; it is {name!r}") from None
    return name


def _database(url: str, home: Path) -> Database:
    if not url:
        return Database(path=home / "postern.sqlite3")
    parts = urlsplit(url)
    try:
        port = parts.port or 5432
    except ValueError:
        raise SettingsError("DATABASE_URL has an invalid port") from None
    if parts.scheme == "sqlite":
        return Database(path=Path(unquote(parts.path)).absolute())
    if parts.scheme not in {"postgres", "postgresql"} or len(parts.path) < 2:
        raise SettingsError("DATABASE_URL must be postgresql://user:password@host:port/name")
    options = dict(parse_qsl(parts.query))
    return Database(
        host=unquote(options.pop("host", "") or parts.hostname or ""),
        port=port,
        name=unquote(parts.path[1:]),
        user=unquote(parts.username or ""),
        password=Secret(unquote(parts.password or "")),
        options=tuple(sorted(options.items())),
    )
