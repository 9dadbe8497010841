"""A full disk and an absent web service: what cannot be recorded does not happen, and no restart is needed
afterwards.
"""

import contextlib
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
from product import Api, Product, wait_until
from test_ssh_story import run
from world import ZHANG_PASSWORD, TargetHost, World, build_world

from peers.small_volume import fill, small_volume
from postern.entrypoints.supervisor import STABLE_AFTER_S

UNAVAILABLE = "Postern is temporarily unavailable. Please try again in a moment."
DISK_MB = 160
Connection = TypeVar("Connection")


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small volume for the data folder."""
    with small_volume(tmp_path_factory.mktemp("small") / "disk", megabytes=DISK_MB) as place:
        yield place


@pytest.fixture(scope="module")
def frail(disk: Path, host: TargetHost, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A separate product on the small volume."""
    running = Product(disk / "home", POSTERN_RECORDING_RESERVE_MB="1")
    running.log = tmp_path_factory.mktemp("logs") / "postern.log"
    running.start()
    try:
        yield build_world(running, tmp_path_factory.mktemp("people"), host)
    finally:
        running.stop()


@contextlib.contextmanager
def full(disk: Path) -> Iterator[None]:
    """Fill the volume to the last byte until the end of the block."""
    filler = fill(disk)
    try:
        yield
    finally:
        filler.unlink(missing_ok=True)


def sftp(world: World) -> list[str]:
    return [
        "sftp",
        *world.ssh_options(),
        "-P",
        str(world.product.ssh_port),
        "-o",
        "User=zhang@deploy@web-1",
        "127.0.0.1",
    ]


def downloads_on_file(world: World) -> list[str]:
    rows: list[dict[str, Any]] = world.admin.get("/api/v1/audits/ftp-logs/?limit=500&offset=0")["results"]
    return [row["filename"] for row in rows if row["operate"] == "Download" and row["is_success"]]


def test_full_disk_lets_nothing_pass_unlogged_and_recovers_without_a_restart(frail: World, disk: Path) -> None:
    files = [frail.directory / f"file-{number}" for number in range(40)]
    for file in files:
        file.write_bytes(file.name.encode() * 100)
    got = frail.directory / "got"
    got.mkdir()
    output_file = frail.directory / "shown"
    with (
        subprocess.Popen(
            sftp(frail), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, bufsize=1
        ) as transfer,
        output_file.open("wb") as output,
        # It will output more than the journal's spare segments can hold.
        subprocess.Popen(
            frail.ssh("read; yes | head -c 40000000", options=("-tt",)), stdin=subprocess.PIPE, stdout=output
        ) as shell,
    ):
        assert transfer.stdin is not None
        assert shell.stdin is not None
        transfer.stdin.write(f"get {files[0]} {got}/\n")
        wait_until((got / files[0].name).exists, message="the first download")
        wait_until(lambda: len(frail.sessions(is_finished="0")) == 2, message="both sessions")

        with full(disk):
            with ThreadPoolExecutor(8) as pool:
                fresh = [pool.submit(run, sftp(frail), input=f"get {file} {got}/\n") for file in files[20:]]
                for file in files[1:20]:
                    transfer.stdin.write(f"get {file} {got}/\n")
                ended = [future.result() for future in fresh]
            for result, file in zip(ended, files[20:], strict=True):
                if not (got / file.name).exists():
                    assert UNAVAILABLE in result.stderr or "no room left to log" in result.stderr, result
                    assert "Permission denied" not in result.stderr
            shell.stdin.write(b"\n")
            shell.stdin.flush()
            assert shell.wait(60) == 255
            said = output_file.read_bytes()[-300:]
            assert b"cannot record this session" in said or b"no room left to log" in said
            wait_until(lambda: refuses_writes(frail, disk), message="the refusal of every write")
        transfer.stdin.close()

    frail.zhang()
    assert run(frail.ssh("echo again")).stdout == "again\n"
    wait_until(lambda: not frail.sessions(is_finished="0"), message="the end of all sessions")
    passed = {file.name for file in files if (got / file.name).exists()}
    assert passed
    wait_until(
        lambda: passed <= {Path(name).name for name in downloads_on_file(frail)}, message=f"log of {len(passed)} files"
    )
    assert frail.product.healthy()
    assert "postern.foundation.rest.errors: request" not in frail.product.output(), "an answer was 500"


def refuses_writes(frail: World, disk: Path) -> bool:
    """Whether no write succeeds. Journals of ending sessions free space, which is filled immediately."""
    fill(disk)
    visitor = Api(frail.product.url)
    visitor.call("GET", "/core/auth/login/")
    comment = uuid.uuid4().hex * 100
    answers = [
        visitor.call("POST", "/api/v1/authentication/sign-in/", {"username": "zhang", "password": ZHANG_PASSWORD}),
        frail.admin.call("POST", "/api/v1/assets/nodes/", {"value": f"no room {comment[:8]}"}),
        frail.admin.call("PATCH", f"/api/v1/assets/assets/{frail.asset_id}/", {"comment": comment}),
    ]
    refused = [answer for answer in answers if answer.status not in (200, 201)]
    assert all((answer.status, answer.body["code"]) == (503, "unavailable") for answer in refused), answers
    assert frail.admin.call("GET", "/api/v1/users/profile/").status in (200, 503)
    return len(refused) == len(answers)


def running_web(world: World) -> psutil.Process:
    """Return the web process, which may be about to restart."""
    wait_until(world.product.healthy, message="health")
    return world.product.part("web")


def web_to_kill(world: World) -> psutil.Process:
    """Return a web process that has run long enough for its successor to start without the pause after repeated
    crashes.
    """
    web = running_web(world)
    wait_until(lambda: time.time() - web.create_time() > STABLE_AFTER_S, message="a web part that is up")
    return web


def begun(begin: Callable[[], Connection], *ages_s: float) -> list[Connection]:
    """Begin as many connections. Returns when each is as old as it is to be when the web process is killed.

    The oldest comes first. The pauses are no waits for a condition: they select the requests that are interrupted.
    """
    connections = []
    for age_s, next_s in zip(ages_s, (*ages_s[1:], 0.0), strict=True):
        connections.append(begin())
        time.sleep(age_s - next_s)
    return connections


def test_right_key_connects_through_a_restart_of_the_web_service(frail: World) -> None:
    """Whatever step of sign-in or opening is in progress when the web process is killed."""
    web = web_to_kill(frail)
    with ThreadPoolExecutor(3) as pool:
        connecting = begun(lambda: pool.submit(run, frail.ssh("echo in")), 0.4, 0.2, 0.0)
        web.send_signal(signal.SIGKILL)
        ended = [connection.result() for connection in connecting]
    for done in ended:
        assert (done.returncode, done.stdout) == (0, "in\n"), done.stderr
    web.wait(60)


def sign_ins(world: World) -> int:
    return int(world.admin.get("/api/v1/audits/login-logs/?username=zhang&limit=1&offset=0")["count"])


def connect_by_password(world: World, program: Path) -> subprocess.Popen[str]:
    """Begin a connection of `ssh`, which asks the program for the password."""
    return subprocess.Popen(
        world.ssh("echo in", options=("-o", "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1")),
        env={**os.environ, "SSH_ASKPASS": str(program), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":none"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_right_password_connects_through_a_restart_and_is_in_the_log_once(frail: World, tmp_path: Path) -> None:
    web = web_to_kill(frail)
    before = sign_ins(frail)
    program = tmp_path / "answers"
    program.write_text(f"#!/bin/sh\necho '{ZHANG_PASSWORD}'\n")
    program.chmod(0o700)
    connecting = begun(lambda: connect_by_password(frail, program), 0.5, 0.3)
    web.send_signal(signal.SIGKILL)
    told = [connection.communicate(timeout=90) for connection in connecting]
    for connection, (output, said) in zip(connecting, told, strict=True):
        assert (connection.returncode, output) == (0, "in\n"), said
    web.wait(60)
    wait_until(frail.product.healthy, message="health")
    assert sign_ins(frail) == before + 2, "each is in the log once"


def test_web_service_that_stays_away_is_reported_as_temporarily_unavailable(frail: World) -> None:
    web = running_web(frail)
    family = [*web.children(recursive=True), web]
    for process in family:
        process.suspend()  # it accepts connections and answers none
    try:
        done = run(frail.ssh("echo in"))
    finally:
        for process in family:
            process.resume()
    assert done.returncode == 255
    assert UNAVAILABLE in done.stderr
    assert "Permission denied" not in done.stderr
    wait_until(frail.product.healthy, message="health")
    assert run(frail.ssh("echo in")).stdout == "in\n"
