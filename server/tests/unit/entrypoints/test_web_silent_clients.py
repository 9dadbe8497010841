"""Clients that connect and send nothing, little or far too much: they are closed, and other clients are not
affected.
"""

import os
import pty
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from peers.ports import free_port
from postern.entrypoints.web.request_head import MAX_HEAD_BYTES
from unit.entrypoints.test_web_pool import PROGRAM, WAIT_S, Pool, until

REQUEST = b"GET /pid HTTP/1.1\r\nhost: here\r\n\r\n"


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Pool]:
    """A pool of one process, whose clients must send the head of a request within a second."""
    with Pool(tmp_path / "log", "head_s=1", processes=1) as pool:
        yield pool


@contextmanager
def clients(pool: Pool, count: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(("127.0.0.1", pool.port), timeout=WAIT_S))
            for _ in range(count)
        ]


def is_closed(client: socket.socket) -> bool:
    try:
        return client.recv(65536) == b""
    except ConnectionError:
        return True


def test_silent_connection_is_closed(strict: Pool) -> None:
    with clients(strict, 3) as silent:
        assert all(is_closed(client) for client in silent)
        assert strict.ask(strict.connect()) in strict.pids()


@pytest.mark.parametrize("piece", [b"x", b"\r\n"], ids=["header", "empty lines"])
@pytest.mark.parametrize("before", [b"", REQUEST], ids=["at first", "after an answered request"])
def test_head_that_arrives_byte_by_byte_has_a_deadline(strict: Pool, before: bytes, piece: bytes) -> None:
    with clients(strict, 1) as (slow,):
        if before:
            slow.sendall(before)
            assert b"200 OK" in slow.recv(65536)
        started_s = time.monotonic()
        slow.settimeout(0.1)
        slow.sendall(b"GET /pid HTTP/1.1\r\nhost: " if piece == b"x" else piece)
        while True:
            assert time.monotonic() - started_s < WAIT_S, "still open"
            try:
                slow.sendall(piece)
                if slow.recv(65536) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break


def test_endless_head_is_refused(strict: Pool) -> None:
    with clients(strict, 1) as (greedy,):
        greedy.sendall(b"GET /pid HTTP/1.1\r\nhost: here\r\nfiller: ")
        try:
            for _ in range(64):
                greedy.sendall(b"x" * MAX_HEAD_BYTES)
        except ConnectionError:
            return
        assert b"431" in greedy.recv(65536)


@pytest.mark.parametrize(
    "beginning",
    [
        b"POST /read HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx: ",
        b"POST /read HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n1;x=",
        b"GET /slow HTTP/1.1\r\nhost: h\r\n\r\nGET /pid HTTP/1.1\r\nx: ",
    ],
    ids=["trailer", "beside the size of a piece", "behind a running request"],
)
def test_endless_text_after_a_request_closes_the_connection(strict: Pool, beginning: bytes) -> None:
    with clients(strict, 1) as (greedy,):
        greedy.sendall(beginning)
        with pytest.raises(ConnectionError):
            greedy.sendall(b"x" * (512 * MAX_HEAD_BYTES))
        assert strict.ask(strict.connect()) in strict.pids()


def test_body_larger_than_the_limit_of_heads_is_accepted(strict: Pool) -> None:
    with clients(strict, 1) as (honest,):
        honest.sendall(b"POST /read HTTP/1.1\r\nhost: h\r\ncontent-length: %d\r\n\r\n" % (64 * MAX_HEAD_BYTES))
        for _ in range(64):
            honest.sendall(b"x" * MAX_HEAD_BYTES)
        assert b"200 OK" in honest.recv(65536)


def test_slow_answer_is_not_cut_by_the_deadline_of_the_next_head(tmp_path: Path) -> None:
    with Pool(tmp_path / "log", "head_s=0.2", processes=1) as pool, clients(pool, 1) as (client,):
        client.sendall(REQUEST.replace(b"/pid", b"/slow") + b"GET /pi")
        answer = b""
        while piece := client.recv(65536):  # until the connection is closed
            answer += piece
        assert answer.count(b"200 OK") == 1


def test_many_silent_connections_do_not_keep_other_clients_out(tmp_path: Path) -> None:
    """There are more connections than the process may open files: it closes the oldest silent ones."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    try:
        # A long deadline, so that no connection is closed for its age on a busy machine.
        options = ("files=128", "head_s=600")
        with Pool(tmp_path / "log", *options, processes=1) as pool, clients(pool, 600) as silent:
            for _ in range(20):
                connection = pool.connect()
                assert pool.ask(connection) in pool.pids()
                connection.close()
            assert psutil.Process(next(iter(pool.pids()))).num_fds() < 128
            silent[-1].sendall(REQUEST)
            assert b"200 OK" in silent[-1].recv(65536), "a connection that was opened last can still ask"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("also_silent", [0, 300])
def test_many_incomplete_bodies_do_not_keep_other_clients_out(tmp_path: Path, also_silent: int) -> None:
    """The oldest incomplete bodies are closed, but neither new connections nor a body that is still arriving."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    try:
        with (
            Pool(tmp_path / "log", "files=128", processes=1) as pool,
            clients(pool, 300) as senders,
            clients(pool, also_silent),
        ):
            for sender in senders:
                with suppress(OSError):  # closed already
                    sender.sendall(b"POST /read HTTP/1.1\r\nhost: h\r\ncontent-length: 1000000\r\n\r\na")
            for _ in range(20):
                connection = pool.connect()
                assert pool.ask(connection) in pool.pids()
                connection.request("POST", "/read", body=b"x" * 300_000)
                assert int(connection.getresponse().read()) in pool.pids()
                connection.close()
            assert psutil.Process(next(iter(pool.pids()))).num_fds() < 128
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_connection_lost_for_lack_of_file_descriptors_does_not_count_as_load(tmp_path: Path) -> None:
    """Otherwise the process would look busy for ever, and other processes would get its connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    try:
        with Pool(tmp_path / "log", "files=64", "waiting=1000", processes=2) as pool:
            with clients(pool, 300):
                until(lambda: "no file descriptor is left" in (tmp_path / "log").read_text(), "lost connections")
            victims = pool.pids()
            # The process whose connections were lost gets its share again.
            until(lambda: {pool.ask(pool.connect()) for _ in range(8)} == victims, "both processes to answer")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


#: A session leader without a terminal gets the first terminal that it opens. The test runner may ignore SIGHUP.
_IN_TERMINAL = ("env", "--default-signal=HUP", "sh", "-c", 'exec <"$0" && exec "$@"')


@pytest.mark.parametrize("nohup", [False, True], ids=["", "nohup"])
def test_pool_in_a_terminal_ends_with_the_terminal(tmp_path: Path, nohup: bool) -> None:
    port = free_port()
    ours, theirs = pty.openpty()
    command = [*(["nohup"] if nohup else []), sys.executable, str(PROGRAM), str(port), "2"]
    with (tmp_path / "log").open("wb") as log:
        program = subprocess.Popen(
            [*_IN_TERMINAL, os.ttyname(theirs), *command], stdout=log, stderr=log, start_new_session=True
        )
    try:
        until(lambda: _answers(port), "the pool to answer")
        os.close(theirs)
        os.kill(program.pid, signal.SIGHUP)  # sent by an administrator: the terminal still exists
        until(lambda: "replacing the web processes" in (tmp_path / "log").read_text(), "the signal to be taken")
        assert program.poll() is None
        os.close(ours)
        if nohup:
            until(
                lambda: (tmp_path / "log").read_text().count("replacing the web processes") == 2,
                "the signal to be taken",
            )
            assert _answers(port)
        else:
            assert program.wait(WAIT_S) == 0
    finally:
        program.terminate()
        program.wait(WAIT_S)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as client:
            client.sendall(REQUEST)
            return b"200 OK" in client.recv(65536)
    except OSError:
        return False
