"""The runner of jobs as its own process, with a worker that a test writes."""

import asyncio
import os
import sys
from itertools import count
from pathlib import Path
from typing import Protocol, Self, TypeVar

import msgspec

from peers.sshd import Sshd
from postern.contracts.access import Credential, HostKeyAnswer, Target
from postern.contracts.enums import HostKeyVerdict
from postern.contracts.routes import Gateway, Route
from postern.contracts.runner import (
    FromRunner,
    HostKeyJudged,
    HostLimits,
    HostOutput,
    JudgeHostKey,
    Remote,
    RunOnHost,
    SecretGiven,
    Shell,
    TaskEnded,
    ToRunner,
    WantSecret,
)
from postern.kernel.sentences import NOTHING, Sentence

PATIENCE_S = 60

FrameT = TypeVar("FrameT", bound=msgspec.Struct)


class HostServer(Protocol):
    """A server that a task signs in on."""

    port: int
    login: str


class JobRunner:
    """Start it with `async with`. It answers questions from `keys` and `secrets`, by gateway id (None: the host)."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._numbers = count(1)
        self._process: asyncio.subprocess.Process | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()
        self.frames: list[FromRunner] = []
        self.verdict = HostKeyVerdict.PINNED
        self.secrets: dict[object, Credential] = {}

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self._process is not None
        return self._process

    async def __aenter__(self) -> Self:
        environ = {"PATH": os.environ["PATH"], "POSTERN_HOME": str(self._home), "POSTERN_ALLOW_LOCAL_TARGETS": "yes"}
        if "PYTHONPATH" in os.environ:
            environ["PYTHONPATH"] = os.environ["PYTHONPATH"]
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "postern.entrypoints", "runner",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=environ,
        )  # fmt: skip
        self._hearing = asyncio.create_task(self._hear())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._hearing is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        await asyncio.wait_for(self.process.wait(), PATIENCE_S)
        await self._hearing

    def trusts(self, server: Sshd, gateway_id: object = None) -> None:
        """Give the key of this server for the host, or for a gateway."""
        self.secrets[gateway_id] = Credential(login_name=server.login, private_key=server.client_key.read_text())

    def send(self, frame: ToRunner) -> None:
        assert self.process.stdin is not None
        data = msgspec.msgpack.encode(frame)
        self.process.stdin.write(len(data).to_bytes(4, "big") + data)

    def start(
        self,
        server: HostServer,
        script: str = "",
        *,
        run_by: Shell = Shell.POSIX,
        over: Remote = Remote.SSH,
        stdin: bytes = b"",
        way: tuple[Gateway, ...] = (),
        limits: HostLimits | None = None,
    ) -> int:
        """Start a task on this server, and return its number."""
        number = next(self._numbers)
        self.send(
            RunOnHost(
                task=number,
                target=Target(host="127.0.0.1", port=server.port),
                route=Route(stages=tuple((gateway,) for gateway in way)),
                login_name=server.login,
                over=over,
                script=script,
                run_by=run_by,
                stdin=stdin,
                limits=limits or HostLimits(),
            )
        )
        return number

    async def ended(self, task: int) -> TaskEnded:
        """Wait for the end of a task."""
        return await self.heard(TaskEnded, task)

    async def heard(self, kind: type[FrameT], task: int) -> FrameT:
        """Wait for the first frame of this kind about a task."""

        def found() -> FrameT | None:
            return next((frame for frame in self.frames if isinstance(frame, kind) and frame.task == task), None)

        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(found)
        frame = found()
        assert frame is not None
        return frame

    def shown(self, task: int, *, is_error: bool = False) -> bytes:
        """The output of a task so far."""
        return b"".join(
            frame.data
            for frame in self.frames
            if isinstance(frame, HostOutput) and frame.task == task and frame.is_error is is_error
        )

    async def _hear(self) -> None:
        assert self.process.stdout is not None
        decoder = msgspec.msgpack.Decoder(FromRunner)
        while head := await self.process.stdout.read(4):
            head += await self.process.stdout.readexactly(4 - len(head)) if len(head) < 4 else b""
            frame = decoder.decode(await self.process.stdout.readexactly(int.from_bytes(head, "big")))
            match frame:
                case JudgeHostKey(question=number):
                    answer = HostKeyAnswer(verdict=self.verdict, pinned_fingerprint="SHA256:pinned")
                    self.send(HostKeyJudged(question=number, answer=answer))
                case WantSecret(question=number, gateway_id=gateway_id):
                    credential = self.secrets.get(gateway_id)
                    refusal = NOTHING if credential else Sentence("There is no secret.")
                    self.send(SecretGiven(question=number, credential=credential, refusal=refusal))
            async with self._news:
                self.frames.append(frame)
                self._news.notify_all()
