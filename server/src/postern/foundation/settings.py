"""All settings of an installation as one typed, frozen value, read once from the environment.

A wrong value raises `SettingsError` with one line that names the variable and says what it should be.
"""

import hashlib
import ipaddress
import os
import re
import socket
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from postern.kernel.errors import SettingsError
from postern.kernel.secret import Secret

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

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
_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"", "0", "false", "no", "off"})
_HOST_NAME: Final = re.compile(r"\.?[A-Za-z0-9*]([A-Za-z0-9.-]*[A-Za-z0-9])?\Z")
#: A mount, folder or key of HashiCorp Vault: names with slashes between them.
_VAULT_PATH: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*\Z")
_LONGEST_VAULT_PATH: Final = 128
_LONGEST_VAULT_WAIT_S: Final = 30


@dataclass(frozen=True, slots=True)
class Address:
    """A TCP address to listen on."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether the address is reachable from this machine only."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


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
            return _count_between(environ, name, default, 1, _MOST_CONNECTIONS)

        return cls(
            connections=count("POSTERN_SSH_CONNECTIONS", 2000),
            signing_in=count("POSTERN_SSH_SIGNING_IN", 500),
            connections_per_address=count("POSTERN_SSH_CONNECTIONS_PER_ADDRESS", 200),
            signing_in_per_address=count("POSTERN_SSH_SIGNING_IN_PER_ADDRESS", 30),
            new_per_address_per_s=count("POSTERN_SSH_NEW_PER_ADDRESS", 20),
            keys_per_address_per_s=count("POSTERN_SSH_KEYS_PER_ADDRESS", 50),
        )


class SecretStore(StrEnum):
    """Where the secrets of targets lie."""

    #: In the database, sealed with the key file.
    LOCAL = "local"
    #: In the key-value engine (version 2) of HashiCorp Vault.
    VAULT_KV2 = "vault-kv2"
    #: In the database, sealed with data keys that the transit engine of HashiCorp Vault wraps.
    VAULT_TRANSIT = "vault-transit"


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultSettings:
    """How HashiCorp Vault is reached. Services that never read secrets get the address only."""

    address: str
    host: str
    port: int
    namespace: str
    ca_file: Path | None
    token: Secret | None
    token_file: Path | None
    role_id: str
    secret_id: Secret | None
    secret_id_file: Path | None
    approle_mount: str
    kv_mount: str
    folder: str
    transit_mount: str
    transit_key: str
    timeout_s: int

    @property
    def can_sign_in(self) -> bool:
        """Whether a token or an AppRole is set."""
        return self.token is not None or self.token_file is not None or bool(self.role_id)

    def require_usable(self) -> None:
        """Check what `Settings.load` leaves out: a way to sign in, and readable files. Raises SettingsError."""
        if not self.can_sign_in:
            raise SettingsError(
                "POSTERN_VAULT_TOKEN, POSTERN_VAULT_TOKEN_FILE or POSTERN_VAULT_ROLE_ID must be set with "
                "POSTERN_VAULT_ADDR"
            )
        for name, path in (
            ("POSTERN_VAULT_CA_FILE", self.ca_file),
            ("POSTERN_VAULT_TOKEN_FILE", self.token_file),
            ("POSTERN_VAULT_SECRET_ID_FILE", self.secret_id_file),
        ):
            if path is not None and not os.access(path, os.R_OK):
                raise SettingsError(f"{name} must name a readable file; it is {str(path)!r}")
        if self.ca_file is not None:
            try:
                ssl.create_default_context(cafile=str(self.ca_file))
            except (OSError, ValueError):
                raise SettingsError(
                    f"POSTERN_VAULT_CA_FILE must hold certificates as PEM; {str(self.ca_file)!r} does not"
                ) from None

    @classmethod
    def load(cls, environ: Mapping[str, str], store: SecretStore) -> "VaultSettings | None":
        """None when no address is set. Touches no file. Raises SettingsError."""
        text = environ.get("POSTERN_VAULT_ADDR", "").strip()
        if not text:
            if store is not SecretStore.LOCAL:
                raise SettingsError(f"POSTERN_VAULT_ADDR must be set, because POSTERN_SECRET_STORE is {store.value}")
            return None
        address, host, port = _vault_address(text)

        def path(name: str, default: str) -> str:
            value = environ.get(name, "").strip().strip("/") or default
            if not _VAULT_PATH.match(value) or len(value) > _LONGEST_VAULT_PATH:
                raise SettingsError(f"{name} must be a path such as {default}; it is {value!r}")
            return value

        namespace = environ.get("POSTERN_VAULT_NAMESPACE", "").strip().strip("/")
        if namespace and not _VAULT_PATH.match(namespace):
            raise SettingsError(f"POSTERN_VAULT_NAMESPACE must be a path such as team/a; it is {namespace!r}")
        loaded = cls(
            address=address,
            host=host,
            port=port,
            namespace=namespace,
            ca_file=_file(environ, "POSTERN_VAULT_CA_FILE"),
            token=_header_secret(environ, "POSTERN_VAULT_TOKEN"),
            token_file=_file(environ, "POSTERN_VAULT_TOKEN_FILE"),
            role_id=environ.get("POSTERN_VAULT_ROLE_ID", "").strip(),
            secret_id=_header_secret(environ, "POSTERN_VAULT_SECRET_ID"),
            secret_id_file=_file(environ, "POSTERN_VAULT_SECRET_ID_FILE"),
            approle_mount=path("POSTERN_VAULT_APPROLE_MOUNT", "approle"),
            kv_mount=path("POSTERN_VAULT_KV_MOUNT", "secret"),
            folder=path("POSTERN_VAULT_FOLDER", "postern"),
            transit_mount=path("POSTERN_VAULT_TRANSIT_MOUNT", "transit"),
            transit_key=path("POSTERN_VAULT_TRANSIT_KEY", "postern"),
            timeout_s=_count_between(environ, "POSTERN_VAULT_TIMEOUT", 5, 1, _LONGEST_VAULT_WAIT_S),
        )
        loaded._check_sign_in(environ, store)
        return loaded

    def _check_sign_in(self, environ: Mapping[str, str], store: SecretStore) -> None:
        given = [
            name
            for name in ("POSTERN_VAULT_TOKEN", "POSTERN_VAULT_TOKEN_FILE", "POSTERN_VAULT_ROLE_ID")
            if environ.get(name, "").strip()
        ]
        if len(given) > 1:
            raise SettingsError(f"only one of {' and '.join(given)} may be set")
        if not given and store is not SecretStore.LOCAL:
            raise SettingsError(
                "POSTERN_VAULT_TOKEN, POSTERN_VAULT_TOKEN_FILE or POSTERN_VAULT_ROLE_ID must be set, because "
                f"POSTERN_SECRET_STORE is {store.value}"
            )
        if self.secret_id is not None and self.secret_id_file is not None:
            raise SettingsError("only one of POSTERN_VAULT_SECRET_ID and POSTERN_VAULT_SECRET_ID_FILE may be set")
        if self.role_id and self.secret_id is None and self.secret_id_file is None:
            raise SettingsError(
                "POSTERN_VAULT_SECRET_ID or POSTERN_VAULT_SECRET_ID_FILE must be set with POSTERN_VAULT_ROLE_ID"
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
    recording_reserve_mb: int
    recording_input_mb: int
    import_max_mb: int
    #: None: not set, and each way of running has its own default.
    shutdown_s: int | None

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
        http = _address(environ, "POSTERN_HTTP", "127.0.0.1:8080")
        secret_store = _secret_store(environ)
        return cls(
            home=home,
            http=http,
            web_processes=_count_between(environ, "POSTERN_WEB_PROCESSES", _cores(), 1, _MOST_WEB_PROCESSES),
            ssh=_address(environ, "POSTERN_SSH", "127.0.0.1:2222"),
            ssh_public=(
                _address(environ, "POSTERN_SSH_PUBLIC", "postern.example.com:22")
                if environ.get("POSTERN_SSH_PUBLIC", "").strip()
                else None
            ),
            ssh_limits=SshLimits.load(environ),
            admin_password=_secret(environ, "POSTERN_ADMIN_PASSWORD"),
            database=_database(environ.get("DATABASE_URL", ""), home),
            redis_url=redis_url or f"unix://{_run_dir(home)}/redis.sock?db=0",
            redis_is_private=not redis_url,
            trusted_proxies=_networks(environ, "POSTERN_TRUSTED_PROXIES"),
            allowed_hosts=_hosts(environ, "POSTERN_ALLOWED_HOSTS"),
            https=_flag(environ, "POSTERN_HTTPS"),
            bootstrap_token=_secret(environ, "POSTERN_BOOTSTRAP_TOKEN"),
            kek_file=Path(environ.get("POSTERN_KEK_FILE") or home / "secrets" / "kek.json").expanduser().absolute(),
            secret_store=secret_store,
            vault=VaultSettings.load(environ, secret_store),
            log_level=_choice(environ, "POSTERN_LOG_LEVEL", "INFO", _LOG_LEVELS),
            language=_language(environ),
            # An installation that listens on loopback only is being tried out, so its own sshd is a legitimate target.
            allow_local_targets=_flag(environ, "POSTERN_ALLOW_LOCAL_TARGETS", default=http.is_loopback),
            blocked_networks=_networks(environ, "POSTERN_BLOCKED_NETWORKS"),
            console_dist=Path(environ.get("POSTERN_CONSOLE_DIST") or _default_console_dist()).expanduser().absolute(),
            time_zone=_time_zone(environ),
            health_token=_secret(environ, "POSTERN_HEALTH_TOKEN"),
            recording_reserve_mb=_count(environ, "POSTERN_RECORDING_RESERVE_MB", 1024),
            recording_input_mb=_count_between(environ, "POSTERN_RECORDING_INPUT_MB", 1024, 1, _MOST_INPUT_MB),
            import_max_mb=_count_between(environ, "POSTERN_IMPORT_MAX_MB", 10, 1, 30),
            shutdown_s=(
                _count_between(environ, "POSTERN_SHUTDOWN_SECONDS", 0, 0, _LONGEST_SHUTDOWN_S)
                if environ.get("POSTERN_SHUTDOWN_SECONDS", "").strip()
                else None
            ),
        )


#: Name, default and description of each variable. The reference page is generated from it.
SETTINGS_REFERENCE: Final[tuple[tuple[str, str, str], ...]] = (
    ("POSTERN_HOME", "./var", "Data folder of this installation."),
    ("POSTERN_HTTP", "127.0.0.1:8080", "Address of the console and the API."),
    (
        "POSTERN_WEB_PROCESSES",
        "one for each core, at most 4",
        (
            "Number of web processes, 1 to 32. They share loaded code; each further process uses about 30 MB and "
            "up to 18 connections to PostgreSQL."
        ),
    ),
    ("POSTERN_SSH", "127.0.0.1:2222", "Address of the SSH front."),
    (
        "POSTERN_SSH_PUBLIC",
        "",
        (
            "Address under which users reach the SSH front, HOST:PORT. The console writes it into the ssh lines that users "
            "copy. If it is not set: the host name under which users called the console, and the port of POSTERN_SSH."
        ),
    ),
    ("POSTERN_SSH_CONNECTIONS", "2000", "Maximum number of SSH connections of one proxy."),
    ("POSTERN_SSH_SIGNING_IN", "500", "Maximum number of these connections whose user is not known yet."),
    (
        "POSTERN_SSH_CONNECTIONS_PER_ADDRESS",
        "200",
        (
            "Maximum number of SSH connections from one address: an IPv4 address, or a /64 network of IPv6. "
            "Raise it if many users share a gateway."
        ),
    ),
    (
        "POSTERN_SSH_SIGNING_IN_PER_ADDRESS",
        "30",
        "Maximum number of connections from one address whose user is not known yet.",
    ),
    ("POSTERN_SSH_NEW_PER_ADDRESS", "20", "Maximum number of new SSH connections from one address in a second."),
    (
        "POSTERN_SSH_KEYS_PER_ADDRESS",
        "50",
        (
            "Public keys from one address that are looked up in a second. A burst of ten times as many is allowed; "
            "further keys wait."
        ),
    ),
    (
        "POSTERN_ADMIN_PASSWORD",
        "",
        "Password of the first administrator `admin`. If it is not set, a random password is printed once.",
    ),
    (
        "DATABASE_URL",
        "",
        "`postgresql://user:password@host:port/name`. If it is not set, the database is SQLite in the data folder.",
    ),
    ("POSTERN_REDIS_URL", "", "`redis://…` of your own Redis. If it is not set, Postern starts a private Redis."),
    (
        "POSTERN_TRUSTED_PROXIES",
        "",
        "Networks of the reverse proxies whose X-Forwarded-For is accepted, comma-separated.",
    ),
    (
        "POSTERN_ALLOWED_HOSTS",
        "",
        "Host names under which the console can be called, comma-separated. If it is not set, any host name.",
    ),
    ("POSTERN_HTTPS", "no", "`yes` if users reach the console over https (secure cookies, HSTS)."),
    (
        "POSTERN_BOOTSTRAP_TOKEN",
        "",
        "Token with which a proxy registers. If it is not set, a token is created in the data folder.",
    ),
    ("POSTERN_KEK_FILE", "POSTERN_HOME/secrets/kek.json", "File with the key-encryption keys of the vault."),
    (
        "POSTERN_SECRET_STORE",
        "local",
        (
            "Where new secrets of targets are stored: `local`, `vault-kv2` or `vault-transit`. `postern vault move` moves "
            "the existing ones. The guide *Secrets in HashiCorp Vault* has the steps."
        ),
    ),
    (
        "POSTERN_VAULT_ADDR",
        "",
        (
            "Address of HashiCorp Vault, `https://HOST:PORT`. `http://` is accepted for this machine only. Needed as long "
            "as one secret lies there."
        ),
    ),
    ("POSTERN_VAULT_NAMESPACE", "", "Namespace in Vault."),
    (
        "POSTERN_VAULT_CA_FILE",
        "",
        "File with the certificates (PEM) that Vault's certificate must come from. If it is not set: those of the system.",
    ),
    ("POSTERN_VAULT_TOKEN", "", "Token for Vault."),
    (
        "POSTERN_VAULT_TOKEN_FILE",
        "",
        "File with the token, which is read again when Vault refuses the token. For a Vault agent.",
    ),
    ("POSTERN_VAULT_ROLE_ID", "", "Role id, if Postern signs in with an AppRole instead of a token."),
    ("POSTERN_VAULT_SECRET_ID", "", "Secret id of the AppRole."),
    ("POSTERN_VAULT_SECRET_ID_FILE", "", "File with the secret id of the AppRole, which is read at each sign-in."),
    ("POSTERN_VAULT_APPROLE_MOUNT", "approle", "Mount of the AppRole method."),
    ("POSTERN_VAULT_KV_MOUNT", "secret", "Mount of the key-value engine, version 2."),
    ("POSTERN_VAULT_FOLDER", "postern", "Folder of Postern's secrets in the key-value engine."),
    ("POSTERN_VAULT_TRANSIT_MOUNT", "transit", "Mount of the transit engine."),
    ("POSTERN_VAULT_TRANSIT_KEY", "postern", "Name of the transit key."),
    (
        "POSTERN_VAULT_TIMEOUT",
        "5",
        "Seconds that one operation in Vault may take, with all repetitions: 1 to 30.",
    ),
    ("POSTERN_LOG_LEVEL", "INFO", "DEBUG, INFO, WARNING or ERROR."),
    (
        "POSTERN_LANGUAGE",
        "zh-hans",
        (
            "`zh-hans` or `en`: language over SSH and in messages for users who have chosen no language and whose client "
            "names none."
        ),
    ),
    (
        "POSTERN_ALLOW_LOCAL_TARGETS",
        "yes on a loopback POSTERN_HTTP, otherwise no",
        (
            "Whether targets may be on this machine (loopback and every address of its interfaces). "
            "Postern's own services and metadata services of clouds are never allowed."
        ),
    ),
    ("POSTERN_BLOCKED_NETWORKS", "", "Further networks in which no target is allowed, comma-separated."),
    (
        "POSTERN_CONSOLE_DIST",
        "",
        "Folder of the built console. If it is not set, the folder in the source tree.",
    ),
    ("POSTERN_TIME_ZONE", "UTC", "Time zone of times for clients that name none."),
    (
        "POSTERN_RECORDING_RESERVE_MB",
        "1024",
        (
            "Free disk space in MB. Below it the proxy starts no new session, and ends running sessions of the user whose "
            "sessions together write most, so that the other sessions can continue."
        ),
    ),
    (
        "POSTERN_RECORDING_INPUT_MB",
        "1024",
        (
            "Maximum recorded input of one command, with or without a terminal, in MB: 1 to 1048576. The space in the "
            "journal counts, so many tiny inputs reach the limit earlier. A session with more input ends. File transfers "
            "by scp, sftp, rsync and tar do not count."
        ),
    ),
    ("POSTERN_IMPORT_MAX_MB", "10", "Maximum size of an imported csv or xlsx file, in MB: 1 to 30."),
    (
        "POSTERN_SHUTDOWN_SECONDS",
        "3 under `postern up`, 60 for `postern proxy`",
        (
            "Seconds that live sessions may continue after a stop signal, 0 to 86400; their users are notified. "
            "A second signal ends the sessions at once. The service manager must wait longer before it kills Postern."
        ),
    ),
    ("POSTERN_CONTROL_URL", "", "For `postern proxy` on another machine: address of the web part."),
    (
        "POSTERN_STREAM",
        "",
        "Address where the web part reaches the web terminal endpoint of this proxy: `unix:/path` or `HOST:PORT`.",
    ),
    ("POSTERN_PROXY_NAME", "", "Name under which this proxy registers. If it is not set, the host name."),
    ("POSTERN_HEALTH_TOKEN", "", "If it is set, `/api/health/` requires `?token=` with this value."),
)


def _run_dir(home: Path) -> Path:
    """The path of a Unix socket can have 107 bytes; the longest file name in the folder needs about twenty of them."""
    beside = home / "run"
    if len(os.fsencode(beside)) <= _LONGEST_RUN_DIR_BYTES:
        return beside
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"postern-{os.geteuid()}-{digest}"


def _default_console_dist() -> Path:
    """console/dist beside server/ in the source tree, or `console` inside an installed package."""
    package = Path(__file__).resolve().parents[1]
    source_tree = package.parents[2] / "console" / "dist"
    return source_tree if source_tree.parent.is_dir() else package / "console"


def _address(environ: Mapping[str, str], name: str, default: str) -> Address:
    text = environ.get(name) or default
    host, separator, port_text = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if (
        not separator
        or not host
        or not port_text.isascii()
        or not port_text.isdigit()
        or not 0 <= int(port_text) <= 65535
    ):
        raise SettingsError(f"{name} must be HOST:PORT, for example {default}; it is {text!r}")
    return Address(host, int(port_text))


def _secret_store(environ: Mapping[str, str]) -> SecretStore:
    text = environ.get("POSTERN_SECRET_STORE", "").strip().lower() or SecretStore.LOCAL.value
    try:
        return SecretStore(text)
    except ValueError:
        names = ", ".join(store.value for store in SecretStore)
        raise SettingsError(f"POSTERN_SECRET_STORE must be one of {names}; it is {text!r}") from None


def _vault_address(text: str) -> tuple[str, str, int]:
    """The address without a slash at its end, its host, and its port."""
    wanted = "POSTERN_VAULT_ADDR must be https://HOST:PORT"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise SettingsError(wanted) from None
    if parts.scheme not in {"http", "https"} or not host or parts.path.strip("/") or parts.query or parts.fragment:
        raise SettingsError(wanted)
    if parts.username is not None or parts.password is not None:
        raise SettingsError(f"{wanted}, without a user or password")
    if parts.scheme == "http" and not Address(host, 0).is_loopback:
        raise SettingsError(f"{wanted}; http:// is accepted for this machine only, because secrets would be readable")
    port = port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{Address(host, port)}", host, port


def _file(environ: Mapping[str, str], name: str) -> Path | None:
    text = environ.get(name, "").strip()
    return Path(text).expanduser().absolute() if text else None


def _header_secret(environ: Mapping[str, str], name: str) -> Secret | None:
    """A secret that is sent in a header or body of a request: without spaces around it."""
    text = environ.get(name, "").strip()
    if not text.isascii() or not text.isprintable():
        raise SettingsError(f"{name} must be one line of ASCII characters")
    return Secret(text) if text else None


def _secret(environ: Mapping[str, str], name: str) -> Secret | None:
    text = environ.get(name, "")
    return Secret(text) if text else None


def _flag(environ: Mapping[str, str], name: str, *, default: bool = False) -> bool:
    text = environ.get(name, "").strip().lower()
    if not text:
        return default
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise SettingsError(f"{name} must be yes or no; it is {text!r}")


def _count(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit():
        raise SettingsError(f"{name} must be a whole number; it is {text!r}")
    return int(text)


def _count_between(environ: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    number = _count(environ, name, default)
    if not least <= number <= most:
        raise SettingsError(f"{name} must be from {least} to {most}; it is {number}")
    return number


def _cores() -> int:
    """The default number of web processes for the cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _WEB_PROCESSES)


def _choice(environ: Mapping[str, str], name: str, default: str, allowed: tuple[str, ...]) -> str:
    text = (environ.get(name) or default).upper()
    if text not in allowed:
        raise SettingsError(f"{name} must be one of {', '.join(allowed)}; it is {text!r}")
    return text


def _language(environ: Mapping[str, str]) -> str:
    text = environ.get("POSTERN_LANGUAGE", "").strip().lower().replace("_", "-") or "zh-hans"
    if text not in _LANGUAGES:
        raise SettingsError(f"POSTERN_LANGUAGE must be zh-hans or en; it is {text!r}")
    return _LANGUAGES[text]


def _items(environ: Mapping[str, str], name: str) -> list[str]:
    return [part.strip() for part in environ.get(name, "").split(",") if part.strip()]


def _networks(environ: Mapping[str, str], name: str) -> tuple[Network, ...]:
    networks: list[Network] = []
    for part in _items(environ, name):
        try:
            networks.append(ipaddress.ip_network(part))
        except ValueError:
            raise SettingsError(
                f"{name} must list addresses or networks such as 10.0.0.0/8; {part!r} is neither"
            ) from None
    return tuple(networks)


def _hosts(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    hosts = _items(environ, name)
    for host in hosts:
        if not _HOST_NAME.match(host):
            raise SettingsError(f"{name} must list host names; {host!r} is not one")
    return tuple(hosts)


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
