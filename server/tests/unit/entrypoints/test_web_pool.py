"""The pool of web processes, with real processes and connections."""

import http.client
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import psutil
import pytest

from peers.ports import free_port
from postern.contracts.access import PROXY_USES_IDLE_S, WEB_KEEPS_IDLE_S
from postern.entrypoints.supervisor import EXIT_CONFIG

PROGRAM = Path(__file__).with_name("web_parent.py")
WAIT_S = 60


def until(condition: Callable[[], Any], awaited: str) -> Any:
    deadline = time.monotonic() + WAIT_S
    while not (result := condition()):
        assert time.monotonic() < deadline, awaited
        time.sleep(0.02)
    return result


class Pool:
    """The program `web_parent.py`, by default with three processes."""

    def __init__(self, log: Path, *options: str, processes: int = 3) -> None:
        self.port = free_port()
        self._processes = processes
        with log.open("wb") as stream:
            self.parent = subprocess.Popen(
                [sys.executable, str(PROGRAM), str(self.port), str(processes), *options], stdout=stream, stderr=stream
            )
        self._connections: list[http.client.HTTPConnection] = []
        until(self._all_answer, "all processes")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_connections()
        if self.parent.poll() is None:
            self.parent.terminate()
            self.parent.wait(WAIT_S)

    def _all_answer(self) -> bool:
        try:
            answered = {self.ask(self.connect()) for _ in range(self._processes)}
        except ConnectionError:  # the pool does not listen yet
            answered = set()
        self.close_connections()
        return len(answered) == self._processes

    def pids(self) -> set[int]:
        return {child.pid for child in psutil.Process(self.parent.pid).children()}

    def connect(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        self._connections.append(connection)
        return connection

    def close_connections(self) -> None:
        while self._connections:
            self._connections.pop().close()

    def ask(self, connection: http.client.HTTPConnection, path: str = "/pid") -> int:
        connection.request("GET", path)
        return int(connection.getresponse().read())


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    with Pool(tmp_path / "log") as running:
        yield running


class Asking:
    """Clients that send requests without a pause on persistent connections, and record every answer and error."""

    def __init__(self, pool: Pool, clients: int) -> None:
        self._pool = pool
        self._over = threading.Event()
        self.answers: list[int] = []
        self.faults: list[Exception] = []
        self._threads = [threading.Thread(target=self._run) for _ in range(clients)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        connection = self._pool.connect()
        while not self._over.is_set():
            try:
                self.answers.append(self._pool.ask(connection))
            except (OSError, http.client.HTTPException) as fault:
                self.faults.append(fault)
                connection.close()
        connection.close()

    def more(self, count: int = 200) -> None:
        """Wait for `count` further answers."""
        target = len(self.answers) + count
        until(lambda: len(self.answers) >= target, "answers")


def test_persistent_connections_spread_evenly_over_the_processes(pool: Pool) -> None:
    connections = [pool.connect() for _ in range(12)]
    answers = Counter(pool.ask(connection) for connection in connections)
    assert set(answers) == pool.pids()
    assert max(answers.values()) <= 5, answers


def test_new_connections_avoid_a_busy_process(pool: Pool) -> None:
    busy = pool.connect()
    busy.putrequest("POST", "/read")
    busy.putheader("content-length", "1")
    busy.endheaders()  # the request runs until its body is complete
    answers = []
    for _ in range(25):
        connection = pool.connect()
        answers.append(pool.ask(connection))
        connection.close()
    busy.send(b"x")
    # The parent may learn of the request only after it has passed on the first of these connections.
    assert int(busy.getresponse().read()) not in answers[5:]


def test_killed_process_is_replaced_while_the_others_answer(pool: Pool) -> None:
    before = pool.pids()
    connections = [pool.connect() for _ in range(9)]
    held = {connection: pool.ask(connection) for connection in connections}
    victim = held[connections[0]]
    process = psutil.Process(victim)
    process.kill()
    process.wait(WAIT_S)
    for connection, pid in held.items():
        if pid != victim:
            assert pool.ask(connection) == pid, "a connection of another process was cut"
    assert victim not in {pool.ask(pool.connect()) for _ in range(6)}
    after = until(lambda: (now := pool.pids()) and len(now) == 3 and victim not in now and now, "a successor")
    assert len(after - before) == 1
    until(lambda: pool.ask(pool.connect()) in after - before, "the successor to answer")


def test_rolling_restart_of_the_processes_loses_no_request(pool: Pool) -> None:
    before = pool.pids()
    with Asking(pool, clients=8) as asking:
        asking.more()
        pool.parent.send_signal(signal.SIGHUP)
        most = 0

        def replaced() -> bool:
            nonlocal most
            now = pool.pids()
            most = max(most, len(now))
            return len(now) == 3 and not now & before

        until(replaced, "new processes")
        asking.more()
    assert asking.faults == []
    assert before < set(asking.answers)
    assert most <= 4, "one by one"


def test_request_in_progress_while_its_process_is_replaced_is_answered(pool: Pool) -> None:
    before = pool.pids()
    connections = [pool.connect() for _ in range(3)]
    for connection in connections:
        connection.request("GET", "/slow")
    pool.parent.send_signal(signal.SIGHUP)
    assert {int(connection.getresponse().read()) for connection in connections} == before


def test_processes_end_with_their_parent_however_it_ends(pool: Pool) -> None:
    family = [psutil.Process(pid) for pid in pool.pids()]
    pool.parent.kill()
    pool.parent.wait(WAIT_S)
    _gone, left = psutil.wait_procs(family, timeout=WAIT_S)
    assert left == []


def test_sigterm_ends_all_processes_after_their_running_requests(pool: Pool) -> None:
    connection = pool.connect()
    connection.request("GET", "/slow")
    time.sleep(0.1)  # the request has been given to a process
    family = [psutil.Process(pid) for pid in pool.pids()]
    pool.parent.terminate()
    assert int(connection.getresponse().read()) in {process.pid for process in family}
    assert pool.parent.wait(WAIT_S) == 0
    assert not any(process.is_running() for process in family)


def test_wrong_setting_detected_by_a_process_ends_the_pool(pool: Pool) -> None:
    connection = pool.connect()
    connection.request("GET", f"/exit?{EXIT_CONFIG}")
    assert pool.parent.wait(WAIT_S) == EXIT_CONFIG


def test_processes_that_cannot_stay_up_are_restarted_after_a_growing_pause(pool: Pool) -> None:
    """Meanwhile connections wait and are not refused."""
    for _ in range(4):
        connection = pool.connect()
        ended = pool.ask(connection)
        connection.request("GET", "/exit?1")
        with pytest.raises((OSError, http.client.HTTPException)):
            connection.getresponse()
        # A connection given to a dying process is lost with it, so wait until the parent has noticed the death.
        until(lambda ended=ended: not psutil.pid_exists(ended), "the end of the process")
    waiting = pool.connect()
    assert pool.ask(waiting) in pool.pids()
    until(lambda: len(pool.pids()) == 3, "all processes")


def test_process_that_gets_sigterm_right_after_its_start_is_replaced(tmp_path: Path) -> None:
    """The signal is for that process alone: it must neither be lost nor stop the parent."""
    note = tmp_path / "note"
    with Pool(tmp_path / "log", f"early={note}", processes=2) as pool:
        assert note.exists()
        assert len(pool.pids()) == 2
        assert pool.ask(pool.connect()) in pool.pids()


def test_proxy_drops_an_idle_connection_before_the_web_part_does() -> None:
    assert PROXY_USES_IDLE_S * 2 <= WEB_KEEPS_IDLE_S
