"""Reads of terminals."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings

from postern.apps.preferences import facade as preferences
from postern.apps.sessions.terminals.models import Terminal
from postern.contracts.files import files_key
from postern.contracts.terminals import LEASE_S, ProxySettings
from postern.foundation.parts import health
from postern.kernel import clock, ids
from postern.kernel.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Credential:
    """A terminal and the hash of the presented secret."""

    terminal: Terminal
    secret_hash: str


@dataclass(frozen=True, slots=True)
class FilesEndpoint:
    """Where a proxy serves files: `unix:/path` or `host:port`, and the key that shows it who asks."""

    address: str
    key: str


def terminal_by_credential(text: str) -> Terminal | None:
    """The accepted terminal with the credential `<id>.<secret>`, or None."""
    presented = credential_of(text)
    return presented.terminal if presented is not None and presented.terminal.is_accepted else None


def credential_of(text: str) -> Credential | None:
    """The terminal with the credential `<id>.<secret>`, compared in constant time: in any state, even deleted."""
    id_text, dot, secret = text.partition(".")
    terminal_id: UUID | None = ids.parse_id(id_text)
    if not dot or terminal_id is None or len(secret) > 256:
        return None
    terminal = Terminal.objects.filter(pk=terminal_id).first()
    presented_hash = ids.token_hash(secret)
    # An unknown id costs the same comparisons as a known id. An empty hash matches no secret.
    present, following = (terminal.secret_hash, terminal.next_secret_hash) if terminal is not None else ("", "")
    fits = [ids.same(presented_hash, present), ids.same(presented_hash, following)]
    return Credential(terminal, presented_hash) if terminal is not None and any(fits) else None


def terminal_for_browser(*, with_files: bool = False) -> Terminal | None:
    """The proxy for the next browser session: alive, not draining, with the fewest connections.

    `with_files`: it must have an endpoint for the file manager.
    """
    alive = Terminal.objects.alive(clock.now() - timedelta(seconds=LEASE_S))
    able = alive.filter(is_draining=False).exclude(stream_address="")
    if with_files:
        able = able.exclude(files_address="")
    return able.order_by("connections", "pk").first()


def accepted_terminals() -> list[UUID]:
    """Terminals that may have a control channel."""
    return list(Terminal.objects.existing().filter(is_accepted=True).order_by().values_list("pk", flat=True))


def require_a_proxy() -> None:
    """Health of the access plane: at least one proxy is registered, accepted and alive. Raises Unavailable.

    A heartbeat from before the start of the supervised proxy belongs to its predecessor and does not count.
    """
    heard_after = clock.now() - timedelta(seconds=LEASE_S)
    started = health.running_since("proxy")
    if not Terminal.objects.alive(max(heard_after, started) if started else heard_after).exists():
        raise Unavailable("no proxy is running")


def stream_address_of(terminal_id: UUID) -> str | None:
    """Address of the browser endpoint of a living, accepted terminal; None otherwise."""
    alive = Terminal.objects.alive(clock.now() - timedelta(seconds=LEASE_S)).filter(pk=terminal_id)
    return alive.values_list("stream_address", flat=True).first() or None


def files_endpoint_of(terminal_id: UUID) -> FilesEndpoint | None:
    """The file manager endpoint of a living, accepted terminal; None if there is none."""
    alive = Terminal.objects.alive(clock.now() - timedelta(seconds=LEASE_S)).filter(pk=terminal_id)
    address, secret_hash = alive.values_list("files_address", "secret_hash").first() or ("", "")
    return FilesEndpoint(address, files_key(secret_hash)) if address else None


def proxy_endpoints() -> list[tuple[str, int]]:
    """Endpoints of registered proxies, as they reported them.

    They must never be targets of sessions (K36: only addresses of permitted targets are dialled).
    """
    endpoints: list[tuple[str, int]] = []
    rows = Terminal.objects.existing().values_list("remote_addr", "ssh_port", "stream_address", "files_address")
    for remote_addr, ssh_port, *addresses in rows:
        if remote_addr and ssh_port:
            endpoints.append((remote_addr, ssh_port))
        for address in addresses:
            host, _, port = address.rpartition(":")
            if host and not address.startswith("unix:") and port.isascii() and port.isdigit():
                endpoints.append((host.removeprefix("[").removesuffix("]"), int(port)))
    return endpoints


def reported_ssh_port() -> int:
    """The SSH port of the proxy with the latest heartbeat; 0 when unknown."""
    row = Terminal.objects.existing().filter(ssh_port__gt=0).order_by("-date_last_heartbeat").first()
    return row.ssh_port if row is not None else 0


def credentials_a_minute() -> int:
    """Number of credentials that one proxy may receive per minute."""
    return preferences.get_int("SECURITY_PROXY_CREDENTIALS_PER_MINUTE")


def proxy_settings() -> ProxySettings:
    """The settings that all proxies share."""
    version = (
        preferences.version()
    )  # read first: a version that is too low is sent again, a version that is too high is not
    held = preferences.get_many(
        "TERMINAL_PASSWORD_AUTH",
        "TERMINAL_PUBLIC_KEY_AUTH",
        "TERMINAL_CODE_AUTH",
        "TERMINAL_ASSET_LIST_SORT_BY",
        "TERMINAL_ASSET_LIST_PAGE_SIZE",
        "SECURITY_MAX_IDLE_TIME",
        "SECURITY_PROXY_CREDENTIALS_PER_MINUTE",
        "SITE_URL",
        "TERMINAL_HEARTBEAT_INTERVAL",
    )
    public = settings.POSTERN.ssh_public
    has_passwords = not {"password", "ldap"}.isdisjoint(preferences.get_order("SECURITY_SIGN_IN_WAYS"))
    return ProxySettings(
        version=version,
        ssh_host=public.host if public else "",
        ssh_port=public.port if public else 0,
        console_url=str(held["SITE_URL"]),
        password_auth=bool(held["TERMINAL_PASSWORD_AUTH"]) and has_passwords,
        public_key_auth=bool(held["TERMINAL_PUBLIC_KEY_AUTH"]),
        code_auth=bool(held["TERMINAL_CODE_AUTH"]),
        asset_list_sort_by=str(held["TERMINAL_ASSET_LIST_SORT_BY"]),
        asset_list_page_size=str(held["TERMINAL_ASSET_LIST_PAGE_SIZE"]),
        language=settings.LANGUAGE_CODE,
        max_idle_minutes=int(str(held["SECURITY_MAX_IDLE_TIME"])),
        credentials_a_minute=int(str(held["SECURITY_PROXY_CREDENTIALS_PER_MINUTE"])),
        heartbeat_interval_s=int(str(held["TERMINAL_HEARTBEAT_INTERVAL"])),
    )
