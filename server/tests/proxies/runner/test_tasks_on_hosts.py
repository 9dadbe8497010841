"""Tasks of the runner, its own process, on real sshds."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import asyncssh
import pytest
import pytest_asyncio

from peers.gateways import silent_port
from peers.job_runner import JobRunner
from peers.odd_target import OddTarget
from peers.sshd import Sshd
from postern.contracts.access import Credential
from postern.contracts.enums import HostKeyVerdict
from postern.contracts.routes import Gateway
from postern.contracts.runner import (
    HostLimits,
    HostOutput,
    HostResult,
    JudgeHostKey,
    ProgramStarts,
    Shell,
    StopTask,
    WantSecret,
)


@pytest_asyncio.fixture
async def host(tmp_path: Path) -> AsyncIterator[Sshd]:
    async with Sshd(tmp_path / "host") as running:
        yield running


@pytest_asyncio.fixture
async def runner(tmp_path: Path, host: Sshd) -> AsyncIterator[JobRunner]:
    async with JobRunner(tmp_path / "home") as running:
        running.trusts(host)
        yield running


async def test_program_gets_its_input_and_its_output_and_status_come_back(runner: JobRunner, host: Sshd) -> None:
    task = runner.start(host, "cat; echo wrong >&2; exit 3", stdin=b"two\nlines\n")
    ended = await runner.ended(task)
    assert (ended.result, ended.status, ended.signal) == (HostResult.DONE, 3, "")
    assert (runner.shown(task), runner.shown(task, is_error=True)) == (b"two\nlines\n", b"wrong\n")
    assert ended.seconds > 0


async def test_host_key_is_judged_before_a_secret_is_asked_for_and_then_the_program_starts(
    runner: JobRunner, host: Sshd
) -> None:
    task = runner.start(host, "true")
    await runner.ended(task)
    assert [type(frame) for frame in runner.frames][:3] == [JudgeHostKey, WantSecret, ProgramStarts]
    judged = await runner.heard(JudgeHostKey, task)
    assert judged.public_key.split()[:2] == host.host_key.with_suffix(".pub").read_text().split()[:2]


async def test_changed_host_key_gets_no_secret(runner: JobRunner, host: Sshd) -> None:
    runner.verdict = HostKeyVerdict.CHANGED
    ended = await runner.ended(runner.start(host, "true"))
    assert ended.result is HostResult.HOST_KEY_REFUSED
    assert "SHA256:pinned" in ended.message.text
    assert not any(isinstance(frame, WantSecret) for frame in runner.frames)


async def test_sign_in_alone_is_a_task(runner: JobRunner, host: Sshd) -> None:
    task = runner.start(host)
    assert (await runner.ended(task)).result is HostResult.DONE
    assert not any(isinstance(frame, ProgramStarts) for frame in runner.frames)


async def test_wrong_and_missing_secrets_are_told_apart_from_unreachable_hosts(
    runner: JobRunner, host: Sshd, tmp_path: Path
) -> None:
    runner.secrets[None] = Credential(login_name=host.login, password="wrong")
    ended = await runner.ended(runner.start(host, "true"))
    assert (ended.result, "did not accept the credential" in ended.message.text) == (
        HostResult.CREDENTIAL_REFUSED,
        True,
    )
    runner.secrets.clear()
    ended = await runner.ended(runner.start(host, "true"))
    assert (ended.result, ended.message.text) == (HostResult.CREDENTIAL_REFUSED, "There is no secret.")
    nobody = Sshd(tmp_path / "nobody", port=1)
    assert (await runner.ended(runner.start(nobody, "true"))).result is HostResult.UNREACHABLE


async def test_host_that_never_answers_ends_at_its_time_limit(runner: JobRunner, tmp_path: Path) -> None:
    async with silent_port() as port:
        silent = Sshd(tmp_path / "silent", port=port)
        ended = await runner.ended(runner.start(silent, "true", limits=HostLimits(sign_in_s=1)))
    assert ended.result is HostResult.UNREACHABLE
    assert 0.9 < ended.seconds < 20


async def test_program_that_shows_too_much_is_ended(runner: JobRunner, host: Sshd) -> None:
    task = runner.start(host, "yes", limits=HostLimits(output_bytes=100_000))
    ended = await runner.ended(task)
    assert (ended.result, ended.is_told_only) == (HostResult.OUTPUT_LIMIT, False)
    assert len(runner.shown(task)) == 100_000


async def test_what_the_login_shell_shows_is_no_output(runner: JobRunner, host: Sshd) -> None:
    (host.directory / "home" / ".bashrc").write_text("echo noise; echo complaint >&2\n")
    task = runner.start(host, "echo one\necho two\nexit 3")
    ended = await runner.ended(task)
    assert (ended.result, ended.status, runner.shown(task)) == (HostResult.DONE, 3, b"one\ntwo\n")


async def test_host_without_a_shell_gets_no_script(tmp_path: Path) -> None:
    async with Sshd(tmp_path / "device", extra="ForceCommand cat") as device, JobRunner(tmp_path / "home") as runner:
        runner.trusts(device)
        task = runner.start(device, "reload", limits=HostLimits(shell_s=1))
        ended = await runner.ended(task)
    assert ended.result is HostResult.NO_SHELL
    assert not any(isinstance(frame, ProgramStarts) for frame in runner.frames)
    assert runner.shown(task) == b""


async def test_device_that_refuses_programs_or_hangs_up_has_no_shell(tmp_path: Path) -> None:
    async with (
        Sshd(tmp_path / "refuses", extra="MaxSessions 0") as refuses,
        Sshd(tmp_path / "hangs-up", extra="ForceCommand kill -9 $PPID") as hangs_up,
        Sshd(tmp_path / "no-login", extra="ForceCommand echo This account is not available.") as no_login,
        JobRunner(tmp_path / "home") as runner,
    ):
        for device, shown in ((refuses, "open failed"), (hangs_up, ""), (no_login, "not available")):
            runner.trusts(device)
            ended = await runner.ended(runner.start(device, "reload", limits=HostLimits(shell_s=5)))
            assert (ended.result, shown in f"{ended.message} {ended.detail}") == (HostResult.NO_SHELL, True)
            # Without a script such a device is a host like others: signing in is all that is wanted.
            signed_in = await runner.ended(runner.start(device))
            assert signed_in.result is HostResult.DONE
    assert not any(isinstance(frame, ProgramStarts) for frame in runner.frames)


async def test_command_of_a_person_runs_in_the_login_shell(runner: JobRunner, host: Sshd) -> None:
    task = runner.start(host, "[[ a == a ]] && echo $0", run_by=Shell.LOGIN)
    ended = await runner.ended(task)
    assert (ended.status, runner.shown(task).strip().endswith(b"bash")) == (0, True)


async def test_program_left_behind_does_not_hold_up_the_end(runner: JobRunner, host: Sshd) -> None:
    task = runner.start(host, "sleep 20 & echo started")
    ended = await runner.ended(task)
    assert (ended.result, ended.status, runner.shown(task)) == (HostResult.DONE, 0, b"started\n")
    assert ended.seconds < 15


@pytest.mark.parametrize("ignores", ["", "trap '' HUP INT TERM; "])
async def test_stopped_program_really_ends(runner: JobRunner, host: Sshd, ignores: str) -> None:
    task = runner.start(host, f"{ignores}echo $$; while :; do sleep 0.1; done")
    await runner.heard(HostOutput, task)
    pid = int(runner.shown(task))
    runner.send(StopTask(task=task))
    ended = await runner.ended(task)
    assert (ended.result, ended.is_told_only) == (HostResult.STOPPED, False)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_program_that_takes_too_long_is_ended(runner: JobRunner, host: Sshd) -> None:
    ended = await runner.ended(runner.start(host, "sleep 60", limits=HostLimits(run_s=0.5)))
    assert ended.result is HostResult.TIME_LIMIT


async def test_task_is_stopped_while_it_signs_in(runner: JobRunner, tmp_path: Path) -> None:
    async with silent_port() as port:
        task = runner.start(Sshd(tmp_path / "silent", port=port), "true")
        await asyncio.sleep(0.3)
        runner.send(StopTask(task=task))
        ended = await runner.ended(task)
    assert (ended.result, ended.seconds < 10) == (HostResult.STOPPED, True)


async def test_connection_lost_in_the_middle_is_not_called_done(runner: JobRunner, host: Sshd) -> None:
    task = runner.start(host, "echo $PPID $$; exec sleep 60")
    await runner.heard(HostOutput, task)
    connection, program = map(int, runner.shown(task).split())
    os.kill(connection, signal.SIGKILL)
    try:
        ended = await runner.ended(task)
        assert (ended.result, ended.status) == (HostResult.LOST, None)
    finally:
        os.kill(program, signal.SIGKILL)  # nothing ends it on the host


async def test_name_of_a_signal_from_a_hostile_host_is_short_and_printable(runner: JobRunner, tmp_path: Path) -> None:
    async def end_oddly(process: asyncssh.SSHServerProcess[bytes]) -> None:
        nonce = (process.command or "").rsplit(" sh ", 1)[1].split()[0]
        process.stdout.write(f"{nonce} 42\n".encode())
        await process.stdin.readline()
        process.exit_with_signal("A\0\x1b[31m" + "B" * 100_000)

    async with OddTarget(end_oddly) as target:
        runner.secrets[None] = Credential(login_name="root", password=target.password)
        ended = await runner.ended(runner.start(Sshd(tmp_path / "odd", port=target.port), "true"))
    assert (ended.result, ended.status, ended.signal.isprintable()) == (HostResult.DONE, None, True)
    assert 0 < len(ended.signal) <= 32


async def test_host_behind_a_gateway_is_reached_and_the_way_is_told(
    runner: JobRunner, host: Sshd, tmp_path: Path
) -> None:
    async with Sshd(tmp_path / "gateway") as server:
        gateway = Gateway(id=uuid4(), name="edge", host="127.0.0.1", port=server.port, login_name=server.login)
        runner.trusts(server, gateway.id)
        task = runner.start(host, "echo through", way=(gateway,))
        ended = await runner.ended(task)
    assert (ended.result, ended.via, runner.shown(task)) == (HostResult.DONE, "edge", b"through\n")
    assert (await runner.heard(ProgramStarts, task)).via == "edge"


async def test_many_hosts_at_once_and_one_that_floods(runner: JobRunner, host: Sshd) -> None:
    flooding = runner.start(host, "yes", limits=HostLimits(output_bytes=50_000_000, run_s=5))
    tasks = [runner.start(host, f"echo {number}") for number in range(40)]
    for number, task in enumerate(tasks):
        assert (await runner.ended(task)).result is HostResult.DONE
        assert runner.shown(task) == b"%d\n" % number
    assert (await runner.ended(flooding)).result in {HostResult.OUTPUT_LIMIT, HostResult.TIME_LIMIT}


async def test_runner_ends_with_its_worker_and_with_a_frame_that_is_none(tmp_path: Path, host: Sshd) -> None:
    async with JobRunner(tmp_path / "home") as runner:
        runner.trusts(host)
        runner.start(host, "sleep 60")
        assert runner.process.stdin is not None
        runner.process.stdin.write((5 * 1024 * 1024).to_bytes(4, "big"))
        assert await asyncio.wait_for(runner.process.wait(), 30) != 0
