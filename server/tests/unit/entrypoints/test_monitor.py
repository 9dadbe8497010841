"""The process of the task monitor: it ends by itself, and there is only one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from postern.entrypoints.environments import environ_of


def started(home: Path, idle: str) -> "subprocess.Popen[bytes]":
    environ = {**environ_of("monitor", os.environ), "POSTERN_HOME": str(home), "POSTERN_REDIS_URL": ""}
    argv = [sys.executable, "-m", "postern.entrypoints", "monitor", "--idle", idle]
    return subprocess.Popen(argv, env=environ, stdin=subprocess.PIPE, stderr=subprocess.PIPE)


def test_monitor_ends_without_use_although_redis_is_gone(tmp_path: Path) -> None:
    with started(tmp_path, "0.1") as monitor:
        assert monitor.wait(60) == 0
    assert not (tmp_path / "run" / "monitor.sock").exists()


def test_second_monitor_ends_at_once_and_the_first_with_whoever_started_it(tmp_path: Path) -> None:
    with started(tmp_path, "600") as first:
        assert first.stderr is not None
        for line in first.stderr:  # it listens before it looks for Redis
            if b"Redis" in line or b"redis" in line or b"events" in line:
                break
        assert (tmp_path / "run" / "monitor.sock").is_socket()
        assert (tmp_path / "run" / "monitor.sock").stat().st_mode & 0o077 == 0
        with started(tmp_path, "600") as second:
            assert second.wait(60) == 0
        assert first.poll() is None
        first.stderr.close()
        assert first.stdin is not None
        first.stdin.close()
        assert first.wait(60) == 0


@pytest.mark.parametrize("name", ["DATABASE_URL", "PGPASSWORD", "POSTERN_BOOTSTRAP_TOKEN", "POSTERN_HEALTH_TOKEN"])
def test_monitor_gets_no_secret_but_the_address_of_redis(name: str) -> None:
    assert environ_of("monitor", {name: "secret", "POSTERN_REDIS_URL": "redis://here", "PATH": "/bin"}) == {
        "POSTERN_REDIS_URL": "redis://here",
        "PATH": "/bin",
    }
