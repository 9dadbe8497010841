"""Which part gets which secret of the environment: every variable that holds one is named here, with its readers.

A part inherits the supervisor's environment without any of them but its own. The proxy never has the database's
password; it gets the address alone, because the services of this machine are no targets (K36).
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

ADMIN_PASSWORD: Final = "POSTERN_ADMIN_PASSWORD"  # noqa: S105 - the name of a variable
_DATABASE: Final = "DATABASE_URL"
_REDIS: Final = "POSTERN_REDIS_URL"

_STORES: Final = frozenset({"migrate", "web", "worker"})
_NOBODY: Final[frozenset[str]] = frozenset()

#: Variable → the parts that read it. The first administrator's password goes to `migrate` through a pipe.
READERS: Final[Mapping[str, frozenset[str]]] = {
    ADMIN_PASSWORD: _NOBODY,
    _DATABASE: _STORES,
    _REDIS: _STORES,
    "POSTERN_BOOTSTRAP_TOKEN": frozenset({"web", "proxy"}),
    "POSTERN_HEALTH_TOKEN": frozenset({"web"}),
    # libpq's own: they stand in for what DATABASE_URL does not say.
    "PGPASSWORD": _STORES,
    "PGPASSFILE": _STORES,
    "PGSERVICE": _STORES,
    "PGSERVICEFILE": _STORES,
    "PGSSLPASSWORD": _STORES,
}


def environ_of(part: str, environ: Mapping[str, str]) -> dict[str, str]:
    """What the part named `part` inherits of `environ`. An unknown part gets no secret at all."""
    kept = {name: value for name, value in environ.items() if part in READERS.get(name, {part})}
    if part == "proxy":
        for name in (_DATABASE, _REDIS):
            address = _address(environ.get(name, ""))
            if address:
                kept[name] = address
    return kept


def _address(url: str) -> str:
    """`url` without user, password and options: scheme, host, port and path."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # `Settings.load` names the fault
        return ""
    if not parts.scheme:
        return ""
    named = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{named}{f':{port}' if port else ''}{parts.path}"
