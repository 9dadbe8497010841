import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from postern.entrypoints.supervisor import EXIT_CONFIG, Part, Supervisor


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
    except (FileNotFoundError, ProcessLookupError):  # it ends just now
        return False


async def test_supervisor_part_dies_is_started_again(tmp_path: Path) -> None:
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


async def test_supervisor_stop_ends_parts_in_reverse_order(tmp_path: Path) -> None:
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


async def test_supervisor_part_refuses_settings_stops_everything(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    supervisor = Supervisor(
        [
            Part(name="first", argv=python(WRITES_PID_THEN_WAITS, str(pid_file)), ready=file_ready(pid_file)),
            Part(name="second", argv=python(f"import sys; sys.exit({EXIT_CONFIG})")),
        ]
    )
    assert await asyncio.wait_for(supervisor.run(), 120) == EXIT_CONFIG
    assert not alive(int(pid_file.read_text()))


async def test_supervisor_part_never_ready_gives_up() -> None:
    async def never() -> bool:
        return False

    supervisor = Supervisor(
        [Part(name="slow", argv=python("import time; time.sleep(600)"), ready=never)], ready_timeout_s=0.3
    )
    assert await asyncio.wait_for(supervisor.run(), 120) == EXIT_CONFIG
    assert supervisor.pid("slow") is None


async def test_supervisor_part_ignores_sigterm_is_killed(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_supervisor_killed_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
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
