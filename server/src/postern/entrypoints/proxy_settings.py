"""The settings of the proxy on this machine, and its fronts."""

import logging
import os
import platform
from collections.abc import Sequence
from dataclasses import replace

from postern.entrypoints.dialing import CONTROL_URL, control_url_of
from postern.entrypoints.shutdown import supervised_shutdown_s
from postern.foundation.machine.local_proxy import LOCAL_PROXY_FILE
from postern.foundation.machine.secret_files import read_or_create
from postern.foundation.parts.part_board import SUPERVISOR_PID
from postern.foundation.settings import Settings
from postern.kernel.ids import new_token
from postern.kernel.secret import Secret
from postern.proxies.core.limits import Limits, share_of_files
from postern.proxies.core.parts.part import Front
from postern.proxies.core.settings import ProxyConfig
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.part import SshFront
from postern.proxies.ssh.settings import SshSettings
from postern.proxies.terminal.listening import UNIX
from postern.proxies.terminal.part import TerminalFront

log = logging.getLogger(__name__)


def fronts_of(settings: Settings) -> tuple[Front, ...]:
    """The fronts of the proxy, one line for each."""
    return (
        SshFront(SshSettings(address=str(settings.ssh), host_key_dir=settings.home / "proxy", limits=_ssh(settings))),
        TerminalFront(stream_address_of(settings), files_address_of(settings)),
    )


def stream_address_of(settings: Settings) -> str:
    """The address of the endpoint of browser terminals, `unix:/path` or `host:port`."""
    return os.environ.get("POSTERN_STREAM") or f"{UNIX}{settings.run_dir / 'proxy-stream.sock'}"


def files_address_of(settings: Settings) -> str:
    """The address of the endpoint of the file manager, in the same form; "" if this proxy has none.

    A proxy on another machine has none by default, since the web part could not reach a Unix socket there.
    """
    named = os.environ.get("POSTERN_FILES", "")
    if named or not stream_address_of(settings).startswith(UNIX):
        return named
    return f"{UNIX}{settings.run_dir / 'proxy-files.sock'}"


def _ssh(settings: Settings) -> SshLimits:
    ssh = settings.ssh_limits
    return SshLimits(
        connections_total=ssh.connections,
        connections_unauthenticated=ssh.signing_in,
        connections_per_source=ssh.connections_per_address,
        unauthenticated_per_source=ssh.signing_in_per_address,
        new_connections_per_source_per_s=ssh.new_per_address_per_s,
        keys_per_source_per_s=ssh.keys_per_address_per_s,
    )


def config_from(settings: Settings) -> ProxyConfig:
    """Settings shared by all protocols. Raises SettingsError."""
    environ = os.environ
    token = settings.bootstrap_token
    # A control plane with the same data folder recognizes this secret, so that the proxy need not wait to be accepted.
    local = "" if environ.get(CONTROL_URL) else read_or_create(settings.secrets_dir / LOCAL_PROXY_FILE, new_token)
    return ProxyConfig(
        state_dir=settings.home / "proxy",
        control_url=control_url_of(settings),
        name=environ.get("POSTERN_PROXY_NAME") or platform.node() or "proxy",
        bootstrap_token=token or Secret(""),
        local_secret=Secret(local),
        limits=_limits(settings, supervised=SUPERVISOR_PID in environ),
        allow_local_targets=settings.allow_local_targets,
        blocked_networks=settings.blocked_networks,
        language=settings.language,
    )


def _limits(settings: Settings, *, supervised: bool) -> Limits:
    if supervised:
        return Limits(drain_s=supervised_shutdown_s(settings))
    return Limits() if settings.shutdown_s is None else Limits(drain_s=float(settings.shutdown_s))


def within_open_files(
    open_files: int, config: ProxyConfig, fronts: Sequence[Front]
) -> tuple[ProxyConfig, tuple[Front, ...]]:
    """The settings and fronts, with limits reduced to fit the number of files that this process may open."""
    share = share_of_files(open_files, config.limits, *(front.limits for front in fronts))
    if share == 1:
        return config, tuple(fronts)
    limits = config.limits.with_share_of_files(share)
    log.warning(
        "the system allows this proxy %d open files: it takes %d sessions at once instead of %d, and %d %% of the connections",
        open_files,
        limits.sessions,
        config.limits.sessions,
        int(100 * share),
    )
    return replace(config, limits=limits), tuple(front.with_share_of_files(share) for front in fronts)
