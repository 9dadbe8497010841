"""Which service gets which secret of the environment. Every variable with a secret is listed here with its readers.

A service inherits the supervisor's environment without the secrets of others. The proxy and the runner never get the
database's password. They get the address only, because they must refuse connections to Postern's own services.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from postern.foundation.parts.part_board import SUPERVISOR_PID

ADMIN_PASSWORD: Final = "POSTERN_ADMIN_PASSWORD"  # noqa: S105 - the name of a variable
_DATABASE: Final = "DATABASE_URL"
_REDIS: Final = "POSTERN_REDIS_URL"

_STORES: Final = frozenset({"migrate", "web", "worker"})
_READS_SECRETS: Final = frozenset({"web", "worker"})
_CONNECTING: Final = frozenset({"proxy", "runner"})
_NOBODY: Final[frozenset[str]] = frozenset()

#: Variable → services that read it. The first administrator's password is passed to `migrate` through a pipe.
READERS: Final[Mapping[str, frozenset[str]]] = {
    ADMIN_PASSWORD: _NOBODY,
    _DATABASE: _STORES,
    _REDIS: _STORES | {"monitor"},
    # Names the parent with which a service ends. The supervisor sets it for its own children; the parent of the runner is
    # the worker, that of the task monitor a web process, and both end with their pipe.
    SUPERVISOR_PID: _NOBODY,
    "POSTERN_BOOTSTRAP_TOKEN": frozenset({"web", "proxy"}),
    "POSTERN_HEALTH_TOKEN": frozenset({"web"}),
    # Others get the address of Vault only, because they must refuse connections to it.
    "POSTERN_SECRET_STORE": _READS_SECRETS,
    "POSTERN_VAULT_TOKEN": _READS_SECRETS,
    "POSTERN_VAULT_TOKEN_FILE": _READS_SECRETS,
    "POSTERN_VAULT_ROLE_ID": _READS_SECRETS,
    "POSTERN_VAULT_SECRET_ID": _READS_SECRETS,
    "POSTERN_VAULT_SECRET_ID_FILE": _READS_SECRETS,
    # Variables of libpq: defaults for what DATABASE_URL leaves out.
    "PGPASSWORD": _STORES,
    "PGPASSFILE": _STORES,
    "PGSERVICE": _STORES,
    "PGSERVICEFILE": _STORES,
    "PGSSLPASSWORD": _STORES,
}


def environ_of(part: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that the service `part` inherits. An unknown service gets no secret."""
    inherited = {name: value for name, value in environ.items() if part in READERS.get(name, {part})}
    if part in _CONNECTING:
        for name in (_DATABASE, _REDIS):
            address = _address(environ.get(name, ""))
            if address:
                inherited[name] = address
    return inherited


def _address(url: str) -> str:
    """`url` without user, password and options: only scheme, host, port and path."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # `Settings.load` reports the error
        return ""
    if not parts.scheme:
        return ""
    named = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{named}{f':{port}' if port else ''}{parts.path}"
