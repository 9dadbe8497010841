"""Tasks of the runner on Windows hosts: OpenSSH whose shell is cmd.exe, and WinRM over HTTP and HTTPS."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from peers.job_runner import JobRunner
from peers.ports import free_port
from peers.sshd import Sshd
from peers.windows_host import WindowsSshd, WinrmServer
from postern.contracts.access import Credential
from postern.contracts.enums import HostKeyVerdict
from postern.contracts.routes import Gateway
from postern.contracts.runner import (
    HostLimits,
    HostOutput,
    HostResult,
    JudgeHostKey,
    ProgramStarts,
    Remote,
    Shell,
    StopTask,
    WantSecret,
)


@pytest_asyncio.fixture
async def runner(tmp_path: Path) -> AsyncIterator[JobRunner]:
    async with JobRunner(tmp_path / "home") as running:
        yield running


@pytest_asyncio.fixture(params=["ssh", "http", "https"])
async def host(request: pytest.FixtureRequest, runner: JobRunner, tmp_path: Path) -> AsyncIterator[Any]:
    """A Windows host of each kind, whose account the runner knows."""
    folder = tmp_path / "host"
    server = WindowsSshd(folder) if request.param == "ssh" else WinrmServer(folder, tls=request.param == "https")
    async with server:
        know(runner, server)
        yield server


@pytest_asyncio.fixture
async def winrm(runner: JobRunner, tmp_path: Path) -> AsyncIterator[WinrmServer]:
    async with WinrmServer(tmp_path / "winrm") as server:
        know(runner, server)
        yield server


def know(runner: JobRunner, server: Sshd | WinrmServer) -> None:
    if isinstance(server, Sshd):
        runner.trusts(server)
    else:
        runner.secrets[None] = Credential(login_name=server.login, password=server.password)


def start(runner: JobRunner, server: Sshd | WinrmServer, script: str = "", **more: Any) -> int:
    over = Remote.SSH
    if isinstance(server, WinrmServer):
        over = Remote.WINRM_TLS if server.tls else Remote.WINRM
    return runner.start(server, script, run_by=Shell.POWERSHELL, over=over, **more)


async def test_script_gets_its_input_and_its_output_and_status_come_back(runner: JobRunner, host: Any) -> None:
    script = "cat\necho wrong >&2\nexit 5"
    task = start(runner, host, script, stdin="zwei\nZeilen ü\n".encode())
    ended = await runner.ended(task)
    assert (ended.result, ended.status, ended.message.text) == (HostResult.DONE, 5, "")
    assert (runner.shown(task), runner.shown(task, is_error=True)) == ("zwei\nZeilen ü\n".encode(), b"wrong\n")
    assert await runner.heard(ProgramStarts, task)


async def test_stopped_program_really_ends(runner: JobRunner, host: Any) -> None:
    task = start(runner, host, "echo $$; exec sleep 600")
    await runner.heard(HostOutput, task)
    pid = int(runner.shown(task))
    runner.send(StopTask(task=task))
    ended = await runner.ended(task)
    assert (ended.result, ended.is_told_only) == (HostResult.STOPPED, False)
    await until_gone(pid)


async def test_program_that_takes_too_long_or_shows_too_much_is_ended(runner: JobRunner, host: Any) -> None:
    slow = start(runner, host, "sleep 600", limits=HostLimits(run_s=0.5))
    assert (await runner.ended(slow)).result is HostResult.TIME_LIMIT
    loud = start(runner, host, "yes", limits=HostLimits(output_bytes=100_000))
    assert (await runner.ended(loud)).result is HostResult.OUTPUT_LIMIT
    assert len(runner.shown(loud)) == 100_000


async def test_host_without_powershell_says_so(runner: JobRunner, host: Any) -> None:
    (host.directory / "no_powershell").touch()
    task = start(runner, host, "true")
    ended = await runner.ended(task)
    assert (ended.result, "not recognized" in ended.message.text) == (HostResult.NO_POWERSHELL, True)
    assert not any(isinstance(frame, ProgramStarts) for frame in runner.frames)


async def test_sign_in_alone_is_a_task(runner: JobRunner, host: Any) -> None:
    assert (await runner.ended(start(runner, host))).result is HostResult.DONE
    assert not any(isinstance(frame, ProgramStarts) for frame in runner.frames)


async def test_windows_without_its_name_in_the_version_is_recognized(runner: JobRunner, tmp_path: Path) -> None:
    async with WindowsSshd(tmp_path / "plain", is_named=False) as server:
        know(runner, server)
        (server.directory / "no_powershell").touch()
        assert (await runner.ended(start(runner, server, "true"))).result is HostResult.NO_POWERSHELL


async def test_unix_host_and_device_with_a_menu_are_not_windows(runner: JobRunner, tmp_path: Path) -> None:
    async with Sshd(tmp_path / "unix") as unix, Sshd(tmp_path / "menu", extra="ForceCommand cat") as menu:
        for server in (unix, menu):
            know(runner, server)
            task = start(runner, server, "true", limits=HostLimits(shell_s=1))
            ended = await runner.ended(task)
            assert (ended.result, "platform" in ended.message.text) == (HostResult.NOT_WINDOWS, True)
            assert runner.shown(task) == b""


async def test_windows_host_with_another_platform_is_told(runner: JobRunner, tmp_path: Path) -> None:
    async with WindowsSshd(tmp_path / "windows") as server:
        know(runner, server)
        ended = await runner.ended(runner.start(server, "true"))
    assert (ended.result, "Choose the platform Windows" in ended.message.text) == (HostResult.NO_SHELL, True)


async def test_key_of_the_certificate_is_judged_before_the_secret(runner: JobRunner, winrm: WinrmServer) -> None:
    task = start(runner, winrm, "true")
    await runner.ended(task)
    assert [type(frame) for frame in runner.frames][:3] == [JudgeHostKey, WantSecret, ProgramStarts]
    assert (await runner.heard(JudgeHostKey, task)).public_key == winrm.public_key


async def test_changed_key_gets_no_secret(runner: JobRunner, winrm: WinrmServer) -> None:
    runner.verdict = HostKeyVerdict.CHANGED
    ended = await runner.ended(start(runner, winrm, "true"))
    assert (ended.result, "SHA256:pinned" in ended.message.text) == (HostResult.HOST_KEY_REFUSED, True)
    assert not any(isinstance(frame, WantSecret) for frame in runner.frames)
    assert winrm.actions == []


@pytest.mark.parametrize("tls", [False, True])
async def test_secrets_are_never_on_the_wire_in_clear(runner: JobRunner, tmp_path: Path, tls: bool) -> None:
    async with WinrmServer(tmp_path / "winrm", tls=tls) as server:
        know(runner, server)
        task = start(runner, server, "cat >/dev/null", stdin=b"the new password\n")
        assert (await runner.ended(task)).result is HostResult.DONE
        # `seen` is what TLS carried. The input is in the messages, which only NTLM seals over HTTP.
        assert server.password.encode() not in server.seen
        sent = bytes(server.seen).partition(b"</s:Envelope>")[2] if tls else bytes(server.seen)
        assert (b"rsp:Send" in sent) is tls


async def test_wrong_password_and_none_are_refused(runner: JobRunner, winrm: WinrmServer) -> None:
    runner.secrets[None] = Credential(login_name=winrm.login, password="wrong")
    ended = await runner.ended(start(runner, winrm))
    assert (ended.result, "did not accept" in ended.message.text) == (HostResult.CREDENTIAL_REFUSED, True)
    runner.secrets[None] = Credential(login_name=winrm.login, private_key="a key")
    ended = await runner.ended(start(runner, winrm))
    assert (ended.result, "needs a password" in ended.message.text) == (HostResult.CREDENTIAL_REFUSED, True)


async def test_basic_is_for_https_only(runner: JobRunner, tmp_path: Path) -> None:
    for tls, result in ((True, HostResult.DONE), (False, HostResult.CREDENTIAL_REFUSED)):
        async with WinrmServer(tmp_path / f"basic-{tls}", tls=tls, offers=('Basic realm="WSMAN"',)) as server:
            server.offers = ("Basic",)
            know(runner, server)
            task = start(runner, server, "echo in")
            assert (await runner.ended(task)).result is result
            assert (b"Authorization: Basic" in server.seen) is tls


async def test_account_without_the_right_is_told_from_a_wrong_password(runner: JobRunner, winrm: WinrmServer) -> None:
    winrm.refuses_shells = "5"
    ended = await runner.ended(start(runner, winrm, "true"))
    assert (ended.result, "Administrators" in ended.message.text) == (HostResult.NO_SHELL, True)


async def test_closed_port_other_service_and_other_system_are_told_apart(runner: JobRunner, tmp_path: Path) -> None:
    closed = WinrmServer(tmp_path / "closed", port=free_port())
    ended = await runner.ended(start(runner, closed, "true"))
    assert (ended.result, "Enable-PSRemoting" in ended.message.text) == (HostResult.NO_WINRM, True)
    async with Sshd(tmp_path / "ssh") as other:
        for tls in (False, True):
            there = WinrmServer(tmp_path / "other", port=other.port, tls=tls)
            ended = await runner.ended(start(runner, there, "true"))
            assert (ended.result, "is not WinRM" in ended.message.text) == (HostResult.NO_WINRM, True)
    async with WinrmServer(tmp_path / "linux", vendor="Open Management Infrastructure") as linux:
        ended = await runner.ended(start(runner, linux, "true"))
    assert (ended.result, "Open Management" in ended.message.text) == (HostResult.NOT_WINDOWS, True)


async def test_host_alone_is_reached_without_an_account(runner: JobRunner, winrm: WinrmServer) -> None:
    runner.secrets.clear()
    server = winrm
    server.login = ""
    assert (await runner.ended(start(runner, server))).result is HostResult.DONE
    assert not any(isinstance(frame, WantSecret) for frame in runner.frames)


async def test_winrm_host_behind_a_gateway_is_reached(runner: JobRunner, winrm: WinrmServer, tmp_path: Path) -> None:
    async with Sshd(tmp_path / "gateway") as server:
        gateway = Gateway(id=uuid4(), name="edge", host="127.0.0.1", port=server.port, login_name=server.login)
        runner.trusts(server, gateway.id)
        task = start(runner, winrm, "echo through", way=(gateway,))
        ended = await runner.ended(task)
    assert (ended.result, ended.via, runner.shown(task)) == (HostResult.DONE, "edge", b"through\n")


async def test_changing_answers_after_the_start_are_a_lost_end(runner: JobRunner, winrm: WinrmServer) -> None:
    task = start(runner, winrm, "echo begun; exec sleep 600")
    await runner.heard(HostOutput, task)
    winrm.shells.clear()  # as after a restart of the service: the shell is not found any more
    ended = await runner.ended(task)
    assert (ended.result, "was not found" in ended.message.text) == (HostResult.LOST, True)


async def test_lost_host_is_not_called_done(runner: JobRunner, winrm: WinrmServer) -> None:
    task = start(runner, winrm, "echo begun; exec sleep 600")
    await runner.heard(HostOutput, task)
    await winrm.stop()
    ended = await runner.ended(task)
    assert (ended.result, ended.status) == (HostResult.LOST, None)


async def test_long_input_and_output_pass(runner: JobRunner, winrm: WinrmServer) -> None:
    data = b"x" * 99 + b"\n"
    task = start(runner, winrm, "cat", stdin=data * 2000)
    assert (await runner.ended(task)).result is HostResult.DONE
    assert runner.shown(task) == data * 2000


async def until_gone(pid: int) -> None:
    async with asyncio.timeout(10):
        while True:
            try:
                with open(f"/proc/{pid}/stat") as stat:  # noqa: ASYNC230, PTH123 - the kernel answers at once
                    state = stat.read().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError):  # also between opening and reading
                return
            if state == "Z":
                return
            await asyncio.sleep(0.05)
