"""Start the demo: `postern up` on a separate folder, a local host, and demo data that is created once per folder."""

import asyncio
import contextlib
import os
import sys
from pathlib import Path
from typing import Final

import asyncssh

from postern import __version__
from postern.entrypoints.demo.api import Api, DemoFailed
from postern.entrypoints.demo.applications import found_applications
from postern.entrypoints.demo.branch import found_branch, install_licence, tell_everybody
from postern.entrypoints.demo.company import found_company, greet_everybody, run_a_command
from postern.entrypoints.demo.host import DemoHost
from postern.entrypoints.demo.licence import issue_licence
from postern.entrypoints.demo.people import ADMIN, EVERYBODY, passwords
from postern.entrypoints.demo.plays import Front, keep_one_live, play_all, unsealed
from postern.entrypoints.supervisor import EXIT_CONFIG
from postern.entrypoints.up import Reached, local_url, reachable, run_all
from postern.foundation.settings import Settings
from postern.kernel.clock import monotonic_s, today
from postern.kernel.errors import SettingsError
from postern.kernel.secret import Secret

_DEFAULT_HOME: Final = "var-demo"
_SEAL_TIMEOUT_S: Final = 30.0
#: Variables that could point to a real installation or to its secrets.
_ELSEWHERE: Final = (
    "DATABASE_URL",
    "POSTERN_REDIS_URL",
    "POSTERN_KEK_FILE",
    "POSTERN_BOOTSTRAP_TOKEN",
    "POSTERN_CONTROL_URL",
    "POSTERN_STREAM",
    "POSTERN_FILES",
)


def demo_settings(environ: "os._Environ[str]") -> tuple[Settings, dict[str, Secret]]:
    """Settings of the demo and the passwords of its people. Changes `environ`, because the services inherit it.

    Raises SettingsError when the folder holds another installation, or when the demo would be reachable from other
    machines.
    """
    for name in _ELSEWHERE:
        environ.pop(name, None)
    environ["POSTERN_HOME"] = str(Path(environ.get("POSTERN_HOME") or _DEFAULT_HOME).expanduser().absolute())
    settings = Settings.load(environ)
    folder = settings.home / "demo"
    if (settings.home / "postern.sqlite3").exists() and not folder.exists():
        raise SettingsError(f"{settings.home} holds an installation that is not a demo; name another POSTERN_HOME")
    open_to_others = not (settings.http.is_loopback and settings.ssh.is_loopback)
    if not settings.allow_local_targets or (open_to_others and not environ.get("POSTERN_ALLOW_LOCAL_TARGETS")):
        raise SettingsError(
            "the demo gives a shell on this machine, so it listens on loopback addresses only; "
            "POSTERN_ALLOW_LOCAL_TARGETS=yes lets others in"
        )
    made_up = passwords(folder / "passwords.json")
    environ["POSTERN_ADMIN_PASSWORD"] = made_up[ADMIN].reveal()
    return Settings.load(environ), made_up


def banner(settings: Settings, made_up: dict[str, Secret]) -> str:
    """Addresses, people and passwords, and a warning."""
    host = reachable(settings.ssh.host)
    rows = [(ADMIN, "Administrator", "sees and changes everything"), *((p.username, p.name, p.part) for p in EVERYBODY)]
    lines = [
        "",
        f"  Postern {__version__} demo",
        "",
        f"  Console   {local_url(settings)}/ui/",
        f"  SSH       ssh -p {settings.ssh.port} lin@{host}                    (menu)",
        f"            ssh -p {settings.ssh.port} lin=ops=demo-host@{host}      (straight to the host)",
        "",
        "  Person    Password",
        *(f"  {name:<9} {made_up[name].reveal()}   {full} — {part}" for name, full, part in rows if name in made_up),
        "",
        f"  Data      {settings.home} (passwords: demo/passwords.json; delete the folder to start over)",
        "",
        "  Careful: the demo host is this machine. Whoever signs in as one of these people gets a shell as you.",
        "  Ctrl-C stops everything.",
        "",
    ]
    return "\n".join(lines)


class DemoRun:
    """Creates the demo data and plays the sessions once all services are up."""

    def __init__(self, settings: Settings, host: DemoHost, made_up: dict[str, Secret]) -> None:
        self._settings = settings
        self._host = host
        self._passwords = made_up
        self._done_marker = settings.home / "demo" / "told"
        self._live: asyncio.Task[None] | None = None
        self._front = Front(
            host=reachable(settings.ssh.host),
            port=settings.ssh.port,
            host_key_file=settings.home / "proxy" / "ssh_host_ed25519_key",
            passwords=made_up,
            playground=settings.home / "demo" / "files",
        )

    async def fill(self, reached: Reached) -> None:
        """Create the demo data and play the sessions, unless this folder has them already."""
        if not reached.healthy:
            print("postern: no demo data was created: not every service is up", file=sys.stderr, flush=True)
            return
        try:
            if not self._done_marker.exists():
                say("setting up people, assets and permissions")
                admin = await asyncio.to_thread(Api(local_url(self._settings)).sign_in, ADMIN, self._passwords[ADMIN])
                licence = issue_licence(self._settings.home, today())
                await asyncio.to_thread(install_licence, admin, licence)
                await asyncio.to_thread(found_company, admin, self._host, self._passwords)
                await asyncio.to_thread(found_applications, admin)
                await asyncio.to_thread(found_branch, admin, self._passwords)
                await asyncio.to_thread(tell_everybody, admin)
                await asyncio.to_thread(greet_everybody, local_url(self._settings), self._passwords)
                await asyncio.to_thread(run_a_command, local_url(self._settings), self._passwords)
                say("playing four sessions through the SSH front (half a minute)")
                await play_all(self._front, admin)
                await _sealed(admin)
                self._done_marker.touch(mode=0o600)
        except (DemoFailed, asyncssh.Error, OSError) as error:
            print(f"postern: the demo data is incomplete: {error}", file=sys.stderr, flush=True)
        self._live = asyncio.create_task(keep_one_live(self._front), name="live")
        print(banner(self._settings, self._passwords), flush=True)

    async def end(self) -> None:
        """End the session that the demo leaves running."""
        if self._live is not None:
            self._live.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._live


async def _sealed(admin: Api) -> None:
    """Wait until every finished recording is sealed, so that the console shows complete recordings."""
    deadline = monotonic_s() + _SEAL_TIMEOUT_S
    while monotonic_s() < deadline:
        rows = await asyncio.to_thread(admin.rows, "terminal/sessions/", {"is_finished": "1"})
        if rows and not unsealed(rows):
            return
        await asyncio.sleep(0.3)
    raise DemoFailed(f"recordings were not sealed within {_SEAL_TIMEOUT_S:.0f} s")


def say(message: str) -> None:
    """Print one line of progress."""
    print(f"demo: {message}", flush=True)


async def run_demo(settings: Settings) -> int:
    """Run until a stop signal. Returns an exit status. `settings` come from the environment, which the demo changes."""
    del settings  # loaded again below, because the demo has its own folder
    try:
        own, made_up = demo_settings(os.environ)
        host = DemoHost(own.home / "demo" / "host").prepare()
    except SettingsError as error:
        print(f"postern: {error.message}", file=sys.stderr)
        return EXIT_CONFIG
    demo_run = DemoRun(own, host, made_up)
    try:
        return await run_all(own, first=(host.part(),), on_reached=demo_run.fill)
    finally:
        await demo_run.end()
