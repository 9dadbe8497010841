"""The demo's sessions: people work through the real SSH front at a sped-up human pace."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncssh

from postern.entrypoints.demo.api import Api, DemoFailed
from postern.entrypoints.demo.company import HOST, OPS
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret

_KEY_S: Final = 0.045
_THINK_S: Final = 0.6
_SETTLE_S: Final = 0.9
_QUIET_S: Final = 0.4
_PATIENCE_S: Final = 3.0
_CONNECT_TIMEOUT_S: Final = 20.0
_END_TIMEOUT_S: Final = 15.0
_BACK_AFTER_S: Final = 20.0
_COLUMNS: Final = 110
_ROWS: Final = 32

_DUTY: Final = """\
日期        值班      备注
2026-11-16  林晓      例行巡检，无异常
2026-11-17  王建国    web-02 磁盘 81%，已清理日志
2026-11-18  林晓      更换 gateway-01 证书
"""
_ROUND: Final = """\
for host in web-01 web-02 db-01 db-02 cache-01; do
    printf '巡检  %-10s \\033[32m正常\\033[0m\\n' $host
    sleep 0.4
done
"""
_ORDERS: Final = """\
# Looks at the order service every few seconds.
i=0
while :; do
    i=$((i+1))
    printf '%s  \\033[36morder-service\\033[0m  第 %d 次检查  load %s\\n' "$(date +%T)" $i "$(cut -d' ' -f1-3 /proc/loadavg)"
    sleep 3
done
"""
_CONFIG: Final = """\
# deploy.conf
region   = cn-east
replicas = 3
timeout  = 30s
"""


@dataclass(frozen=True, kw_only=True)
class Front:
    """Address and host key of the SSH front, and the passwords of the people who sign in to it."""

    host: str
    port: int
    host_key_file: Path
    passwords: dict[str, Secret]
    playground: Path

    def write(self, name: str, text: str) -> None:
        """Write a file to the folder in which the people of the demo work."""
        self.playground.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.playground / name).write_text(text, encoding="utf-8")

    @contextlib.asynccontextmanager
    async def connect(self, username: str, to: str = f"{OPS}@{HOST}") -> AsyncIterator[asyncssh.SSHClientConnection]:
        """A person's connection through the proxy to the target. Raises DemoFailed."""
        key = asyncssh.import_public_key(asyncssh.read_private_key(self.host_key_file).export_public_key())
        try:
            connection = await asyncio.wait_for(
                asyncssh.connect(
                    self.host,
                    self.port,
                    username=f"{username}@{to}",
                    password=self.passwords[username].reveal(),
                    known_hosts=([key], [], []),
                    client_keys=None,
                    agent_path=None,
                    config=None,
                ),
                _CONNECT_TIMEOUT_S,
            )
        except (OSError, asyncssh.Error, TimeoutError) as error:
            raise DemoFailed(f"{username} cannot sign in to the SSH front: {error}") from error
        async with connection:
            yield connection


class Typist:
    """A person typing at a terminal."""

    def __init__(self, process: "asyncssh.SSHClientProcess[str]") -> None:
        self.process = process
        self._last_output_s = 0.0
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        with contextlib.suppress(asyncssh.Error, OSError):
            while await self.process.stdout.read(65536):
                self._last_output_s = monotonic_s()

    async def quiet(self, longest_s: float) -> None:
        """Wait until output has appeared and stopped, because nobody types before there is a prompt."""
        deadline = monotonic_s() + longest_s
        while monotonic_s() < deadline:
            if self._last_output_s and monotonic_s() - self._last_output_s > _QUIET_S:
                return
            await asyncio.sleep(_QUIET_S / 4)

    async def keys(self, text: str, pause_s: float = _KEY_S) -> None:
        """Type `text` unchanged."""
        for character in text:
            self.process.stdin.write(character)
            await asyncio.sleep(pause_s)

    async def line(self, text: str, settle_s: float = _SETTLE_S) -> None:
        """Type a command and wait for its output."""
        await self.keys(text)
        await asyncio.sleep(_THINK_S / 2)
        await self.keys("\r")
        await asyncio.sleep(settle_s)
        await self.quiet(_PATIENCE_S)

    async def leave(self) -> None:
        """Exit the shell and wait until it has ended."""
        await self.keys("exit\r")
        await self.ended()

    async def ended(self) -> None:
        """Wait until the server has closed the session. Raises DemoFailed."""
        try:
            await asyncio.wait_for(self.process.wait_closed(), _END_TIMEOUT_S)
        except TimeoutError as error:
            raise DemoFailed("a session of the demo did not end") from error
        finally:
            self._reading.cancel()


@contextlib.asynccontextmanager
async def terminal(front: Front, username: str) -> AsyncIterator[Typist]:
    """A shell of one person on the demo host."""
    async with front.connect(username) as connection:
        process: asyncssh.SSHClientProcess[str] = await connection.create_process(
            term_type="xterm-256color", term_size=(_COLUMNS, _ROWS), encoding="utf-8", errors="replace"
        )
        typist = Typist(process)
        await typist.quiet(_CONNECT_TIMEOUT_S)
        yield typist


async def play_all(front: Front, admin: Api) -> None:
    """Play the sessions that end, all at the same time. Raises DemoFailed."""
    front.write("值班表.txt", _DUTY)
    front.write("deploy.conf", _CONFIG)
    front.write("巡检.sh", _ROUND)
    await asyncio.gather(_inspection(front), _screens(front), _files(front), _runaway(front, admin))


async def _inspection(front: Front) -> None:
    """Lin inspects the host: Chinese output, a pipe, a typing mistake, shell history."""
    async with terminal(front, "lin") as typist:
        await typist.line(f"cd '{front.playground}'")
        await typist.line("uname -srm; uptime")
        await typist.line("cat 值班表.txt", 1.4)
        await typist.line("grep -n 王建国 值班表.txt")
        await typist.keys("df -hh")
        await typist.keys("\x7f")
        await typist.line(" . | tail -n 1")
        await typist.line("sh 巡检.sh", 2.8)
        await typist.keys("\x1b[A\x1b[A")
        await asyncio.sleep(_THINK_S)
        await typist.keys("\r")
        await asyncio.sleep(_SETTLE_S)
        await typist.leave()


async def _screens(front: Front) -> None:
    """Maria uses full-screen programs."""
    async with terminal(front, "maria") as typist:
        await typist.line(f"cd '{front.playground}'")
        if shutil.which("top"):
            await typist.line("top -d 1", 4.5)
            await typist.keys("q")
            await asyncio.sleep(_SETTLE_S)
        if shutil.which("vi"):
            await typist.line("vi deploy.conf", 1.5)
            await typist.keys("Go", 0.3)
            await typist.keys("owner    = 平台组")
            await typist.keys("\x1b", _THINK_S)
            await typist.line(":wq")
        await typist.line("cat deploy.conf", 1.4)
        await typist.leave()


async def _files(front: Front) -> None:
    """Lin downloads the duty list and uploads a report."""
    async with front.connect("lin") as connection, connection.start_sftp_client() as sftp:
        folder = str(front.playground)
        async with sftp.open(f"{folder}/值班表.txt", "rb") as file:
            await file.read()
        async with sftp.open(f"{folder}/report-2026-11.csv", "wb") as file:
            await file.write(b"".join(b"web-%02d,%d\n" % (row % 12, row) for row in range(20_000)))


async def _runaway(front: Front, admin: Api) -> None:
    """Tom starts an endless loop; the administrator terminates the session."""
    async with terminal(front, "tom") as typist:
        await typist.line("id; hostname")
        await typist.line("while :; do date +%T.%N; sleep 0.1; done", 3.0)
        for row in await live_sessions(admin):
            if "(tom)" in row["user"]:
                await asyncio.to_thread(admin.post, "terminal/tasks/kill-session/", [row["id"]])
        await typist.ended()


async def live_sessions(admin: Api) -> list[dict[str, str]]:
    """Rows of the running sessions."""
    return await asyncio.to_thread(admin.rows, "terminal/sessions/", {"is_finished": "0"})


async def keep_one_live(front: Front) -> None:
    """Wang watches a log as long as the demo runs. If the session is terminated, Wang signs in again after a pause."""
    front.write("orders.sh", _ORDERS)
    while True:
        with contextlib.suppress(DemoFailed, asyncssh.Error, OSError):
            async with terminal(front, "wang") as typist:
                await typist.line(f"sh '{front.playground}/orders.sh'", 0)
                await typist.process.wait_closed()
        await asyncio.sleep(_BACK_AFTER_S)


def unsealed(rows: Iterable[dict[str, str]]) -> list[str]:
    """Ids of finished shell sessions whose recording is not sealed yet."""
    return [row["id"] for row in rows if row["kind"] == "shell" and row["recording_state"] != "sealed"]
