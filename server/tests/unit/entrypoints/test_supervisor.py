import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from postern.entrypoints import supervisor as supervisor_module
from postern.entrypoints.supervisor import EXIT_CONFIG, Part, Supervisor, next_pause_s
from postern.foundation.parts import part_board


def python(code: str, *args: str) -> tuple[str, ...]:
    return (sys.executable, "-c", textwrap.dedent(code), *args)


def file_ready(path: Path):
    async def ready() -> bool:
        return path.exists()

    return ready


WRITES_PID_THEN_WAITS = """
    import os, sys, time, pathlib
    from postern.entrypoints.supervisor import follow_supervisor
    follow_supervisor()
    # Whoever finds the file finds the number in it.
    pathlib.Path(sys.argv[1] + ".new").write_text(str(os.getpid()))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    time.sleep(600)
"""

LOGS_ITS_END = """
    import signal, sys, time, pathlib
    def end(*_):
        with open(sys.argv[1], "a") as log: log.write(sys.argv[2] + "\\n")
        sys.exit(0)
    signal.signal(signal.SIGTERM, end)
    pathlib.Path(sys.argv[1] + "." + sys.argv[2]).touch()
    time.sleep(600)
"""


def kill_and_wait(pid: int) -> None:
    """Kill the process and wait for its death, but leave reaping it to its parent."""
    os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


async def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("condition did not come true")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the process is just ending
        return False


async def test_supervisor_restarts_a_part_that_dies(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    supervisor = Supervisor([Part(name="worker", argv=python(WRITES_PID_THEN_WAITS, str(pid_file)))])
    run = asyncio.create_task(supervisor.run())
    await wait_for(pid_file.exists)
    await wait_for(lambda: bool(pid_file.read_text()))
    first = int(pid_file.read_text())
    pid_file.unlink()
    os.kill(first, signal.SIGKILL)
    await wait_for(lambda: pid_file.exists() and bool(pid_file.read_text()))
    assert int(pid_file.read_text()) != first
    supervisor.stop()
    assert await run == 0


async def test_supervisor_stops_parts_in_reverse_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    parts = [
        Part(name=name, argv=python(LOGS_ITS_END, str(log), name), ready=file_ready(tmp_path / f"log.{name}"))
        for name in ("redis", "web", "proxy")
    ]
    supervisor = Supervisor(parts)
    up = asyncio.Event()

    async def on_up() -> None:
        up.set()

    run = asyncio.create_task(supervisor.run(on_up))
    await asyncio.wait_for(up.wait(), 120)
    supervisor.stop()
    assert await run == 0
    assert log.read_text().split() == ["proxy", "web", "redis"]


async def test_supervisor_stops_everything_when_a_part_refuses_its_settings(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    supervisor = Supervisor(
        [
            Part(name="first", argv=python(WRITES_PID_THEN_WAITS, str(pid_file)), ready=file_ready(pid_file)),
            Part(name="second", argv=python(f"import sys; sys.exit({EXIT_CONFIG})")),
        ]
    )
    assert await asyncio.wait_for(supervisor.run(), 120) == EXIT_CONFIG
    assert not alive(int(pid_file.read_text()))


async def test_supervisor_gives_up_a_part_that_is_never_ready() -> None:
    async def never() -> bool:
        return False

    supervisor = Supervisor(
        [Part(name="slow", argv=python("import time; time.sleep(600)"), ready=never)], ready_timeout_s=0.3
    )
    assert await asyncio.wait_for(supervisor.run(), 120) == EXIT_CONFIG
    assert supervisor.pid("slow") is None


async def test_supervisor_kills_a_part_that_ignores_sigterm(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    code = """
        import signal, sys, time, pathlib
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        pathlib.Path(sys.argv[1]).touch()
        time.sleep(600)
    """
    supervisor = Supervisor(
        [Part(name="deaf", argv=python(code, str(ready)), ready=file_ready(ready), stop_timeout_s=0.3)]
    )
    run = asyncio.create_task(supervisor.run())
    await wait_for(ready.exists)
    supervisor.stop()
    assert await asyncio.wait_for(run, 120) == 0


FINISHES_LATE = """
    import pathlib, signal, sys, time
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append("term"))
    signal.signal(signal.SIGINT, lambda *_: stopped.append("int"))
    pathlib.Path(sys.argv[1]).touch()
    while not stopped:
        time.sleep(0.01)
    until = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < until and "int" not in stopped:
        time.sleep(0.01)
    pathlib.Path(sys.argv[1]).write_text(" ".join(stopped))
"""


async def test_supervisor_does_not_kill_a_part_during_its_grace_time(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    part = Part(
        name="late",
        argv=python(FINISHES_LATE, str(ready), "1.5"),
        ready=file_ready(ready),
        stop_timeout_s=0.3,
        grace_s=60,
    )
    supervisor = Supervisor([part])
    run = asyncio.create_task(supervisor.run())
    await wait_for(ready.exists)
    supervisor.stop()
    assert await asyncio.wait_for(run, 120) == 0
    assert ready.read_text() == "term", "it was killed, or hurried"


async def test_second_stop_ends_a_part_with_grace_time_at_once(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    part = Part(name="late", argv=python(FINISHES_LATE, str(ready), "600"), ready=file_ready(ready), grace_s=600)
    supervisor = Supervisor([part])
    run = asyncio.create_task(supervisor.run())
    await wait_for(ready.exists)
    supervisor.stop()
    await asyncio.sleep(0)
    supervisor.stop()
    assert await asyncio.wait_for(run, 120) == 0
    assert "int" in ready.read_text()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_killed_supervisor_leaves_no_process_behind(tmp_path: Path, number: signal.Signals) -> None:
    pid_file = tmp_path / "pid"
    code = f"""
        import asyncio, sys
        from postern.entrypoints.supervisor import Part, Supervisor
        part = Part(name="part", argv=(sys.executable, "-c", {textwrap.dedent(WRITES_PID_THEN_WAITS)!r}, sys.argv[1]))
        sys.exit(asyncio.run(Supervisor([part]).run()))
    """
    supervisor = subprocess.Popen(python(code, str(pid_file)))
    await wait_for(lambda: pid_file.exists() and bool(pid_file.read_text()))
    child = int(pid_file.read_text())
    supervisor.send_signal(number)
    await asyncio.to_thread(supervisor.wait, 120)
    await wait_for(lambda: not alive(child))


def test_part_that_ran_well_is_restarted_at_once_however_often_it_ends() -> None:
    pause_s = 0.0
    for _ in range(20):
        pause_s = next_pause_s(pause_s, ran_s=15.0)
        assert pause_s == 0.5
    for _ in range(20):
        pause_s = next_pause_s(pause_s, ran_s=0.1)
    assert pause_s == 30.0  # a part that cannot start does not keep the machine busy
    assert next_pause_s(pause_s, ran_s=15.0) == 0.5


async def test_part_that_temporarily_cannot_be_started_is_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine has no free process for a moment. Earlier, the supervisor never tried again."""
    pid_file = tmp_path / "pid"
    start = asyncio.create_subprocess_exec
    calls = 0

    async def scarce(*arguments: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return await start(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(supervisor_module.asyncio, "create_subprocess_exec", scarce)
    supervisor = Supervisor([Part(name="worker", argv=python(WRITES_PID_THEN_WAITS, str(pid_file)))])
    run = asyncio.create_task(supervisor.run())
    await wait_for(pid_file.exists)
    supervisor.stop()
    assert await run == 0
    assert calls == 2


async def test_board_shows_a_dead_part_from_the_moment_of_its_death(tmp_path: Path) -> None:
    pid_file, board = tmp_path / "pid", tmp_path / "parts.json"
    supervisor = Supervisor(
        [Part(name="worker", argv=python(WRITES_PID_THEN_WAITS, str(pid_file)), ready=file_ready(pid_file))],
        board=board,
    )
    up = asyncio.Event()

    async def on_up() -> None:
        up.set()

    environ = {part_board.SUPERVISOR_PID: str(os.getpid())}
    run = asyncio.create_task(supervisor.run(on_up))
    await asyncio.wait_for(up.wait(), 120)
    first = part_board.read(board, environ)["worker"]
    assert first.pid == int(pid_file.read_text())
    assert part_board.lives(first, str(os.getpid()))
    pid_file.unlink()
    # No await in between: the kernel knows of the death, the supervisor does not yet.
    kill_and_wait(first.pid)
    assert not part_board.lives(part_board.read(board, environ)["worker"], str(os.getpid()))
    await wait_for(pid_file.exists)
    second = part_board.read(board, environ)["worker"]
    assert second.pid != first.pid
    assert second.since > first.since
    assert not part_board.lives(first, str(os.getpid()))
    supervisor.stop()
    assert await run == 0
    assert not part_board.lives(part_board.read(board, environ)["worker"], str(os.getpid()))


def test_board_of_another_supervisor_is_ignored(tmp_path: Path) -> None:
    board = tmp_path / "parts.json"
    part_board.write(board, {"worker": part_board.PartLife(1, 1.0)})
    own = {part_board.SUPERVISOR_PID: str(os.getpid())}
    assert part_board.read(board, own) == {"worker": part_board.PartLife(1, 1.0)}
    assert part_board.read(board, {}) == {}
    assert part_board.read(board, {part_board.SUPERVISOR_PID: "1"}) == {}
    for damaged in ("", "{", "[]", f'{{"supervisor": {os.getpid()}, "parts": {{"a": 1}}}}'):
        board.write_text(damaged)
        assert part_board.read(board, own) == {}
