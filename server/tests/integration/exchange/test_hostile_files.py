"""Hostile uploads get a clear error, the child process stays within its limits, and the web process is not affected.

K72: uploads are read by a child under limits.
"""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from hostile_files import HONEST, REFUSED, hidden_entities
from rest_framework.test import APIClient
from spreadsheets import ASSETS, body_of

from postern.foundation.rest.exchange import importing
from postern.foundation.rest.exchange.messages import TEXTS, text_of
from postern.foundation.rest.exchange.reader import limits

pytestmark = pytest.mark.django_db

URL = f"{ASSETS}render-to-json/"
READER = "postern.foundation.rest.exchange.reader"
QUESTION = json.dumps({"fields": {"hostname": "hostname"}, "structured": []}).encode() + b"\n"

#: A small parent process, so that the peak memory of the child is its own.
MEASURE = textwrap.dedent("""
    import os, subprocess, sys
    child = subprocess.Popen([sys.executable, "-I", "-X", "utf8", "-m", *sys.argv[1:]],
                             stdin=0, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    print(os.waitstatus_to_exitcode(status), used.ru_maxrss // 1024, used.ru_utime + used.ru_stime)
""")


def _upload(client: APIClient, content_type: str, data: bytes) -> Any:
    return client.generic("POST", URL, data, content_type=content_type)


@pytest.mark.parametrize("name", sorted(REFUSED))
@pytest.mark.any_database
def test_k72_hostile_file_is_refused_with_a_clear_error(in_english: APIClient, name: str) -> None:
    content_type, make, start = REFUSED[name]
    answer = _upload(in_english, content_type, make())
    assert answer.status_code == 400
    body = answer.json()
    sentence = body.get("error") or body["detail"]
    assert sentence.startswith(start), sentence
    assert set(body) == {"error"} or (set(body) == {"detail", "code"} and body["code"] == "parse_error")
    for inside in ("Traceback", "/", "Error:", "calamine", "python", "None"):
        assert inside not in sentence


@pytest.mark.parametrize("name", ["zip bomb", "zip bomb that lies", "huge dimensions", "billion laughs", "many parts"])
@pytest.mark.any_database
def test_k72_child_stays_within_its_limits_of_memory_and_time(name: str) -> None:
    content_type, make, _start = REFUSED[name]
    kind = content_type.removeprefix("text/")
    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, READER, kind], input=QUESTION + make(), capture_output=True, check=True
    )
    status, peak_mb, cpu_s = measured.stdout.split()
    assert int(status) != 0
    assert int(peak_mb) < limits.MEMORY_BYTES >> 20
    assert float(cpu_s) <= limits.CPU_S + 1


@pytest.mark.any_database
def test_k72_entities_declared_after_a_comment_are_never_expanded(in_english: APIClient) -> None:
    answer = _upload(in_english, "text/xlsx", hidden_entities())
    if answer.status_code == 200:
        assert b"lol" not in body_of(answer)
    else:
        assert answer.json()["code"] == "parse_error"


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_k72_child_can_open_neither_files_nor_sockets(kind: str) -> None:
    probe = textwrap.dedent("""
        import os, socket, sys
        from postern.foundation.rest.exchange.reader import limits
        limits.confine(); limits.close_the_door()
        for attempt in (lambda: open("/etc/passwd"), lambda: socket.socket(), lambda: os.pipe(), lambda: os.dup(0)):
            try:
                attempt()
            except OSError:
                continue
            print("opened"); break
        print(os.nice(0))
    """)
    printed = subprocess.run([sys.executable, "-I", "-c", probe], capture_output=True, text=True, check=True).stdout
    assert printed.split() == [str(min(19, os.nice(0) + 10))]


def test_k72_child_inherits_no_file_descriptor_and_no_environment(
    in_english: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the web process has open, the child starts with three file descriptors and PATH."""
    started: list[dict[str, Any]] = []
    real = subprocess.Popen

    def watched(arguments: list[str], **options: Any) -> Any:
        started.append(options)
        return real(arguments, **options)

    monkeypatch.setenv("POSTERN_ADMIN_PASSWORD", "plum orbit cactus 41")
    monkeypatch.setattr(importing.subprocess, "Popen", watched)
    leaked = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(leaked, True)
    try:
        assert body_of(_upload(in_english, "text/xlsx", HONEST))
    finally:
        os.close(leaked)
    (options,) = started
    assert options["close_fds"] is True
    assert "pass_fds" not in options
    assert set(options["env"]) == {"PATH"}


@pytest.mark.any_database
def test_k72_hanging_child_is_killed(in_english: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "_WALL_S", 0.0)
    answer = _upload(in_english, "text/xlsx", HONEST)
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("Reading the file needs too much")


@pytest.mark.any_database
def test_end_of_the_child_is_awaited_without_polling(in_english: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    assert body_of(_upload(in_english, "text/xlsx", HONEST))
    assert slept == []


@pytest.mark.any_database
def test_killed_child_leaves_no_process_and_no_open_file(
    in_english: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def watched(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(real(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(importing.subprocess, "Popen", watched)
    monkeypatch.setattr(importing, "_WALL_S", 0.0)
    assert _upload(in_english, "text/xlsx", HONEST).status_code == 400
    assert started[0].returncode == -signal.SIGKILL
    opened = {str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()}
    assert "anon_inode:[pidfd]" not in opened


@pytest.mark.any_database
def test_k72_further_uploads_wait_for_a_turn_and_then_get_a_clear_error(
    in_english: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "_TURN_S", 0.0)
    with ExitStack() as held:
        for _ in range(importing._AT_ONCE):
            held.enter_context(importing._turns.turn(0.0))
        answer = _upload(in_english, "text/xlsx", HONEST)
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert body_of(_upload(in_english, "text/xlsx", HONEST))


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.any_database
def test_refusals_are_in_the_language_of_the_user(as_org_admin: APIClient, language: str) -> None:
    as_org_admin.cookies["django_language"] = language
    detail = _upload(as_org_admin, "text/csv", b"").json()["detail"]
    assert detail == {"en": "The file is empty.", "zh-hans": "文件是空的。"}[language]


def test_every_problem_has_a_text_with_matching_placeholders() -> None:
    for slug in TEXTS:
        assert "%" not in text_of(slug, {"line": 3, "most": 5, "title": "Name"})


@pytest.mark.django_db(transaction=True)
def test_waiting_and_running_upload_holds_no_database_connection(
    in_english: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a dozen slow imports would use up the connection pool of PostgreSQL. SQLite has no pool."""
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL has a pool")
    held: list[bool] = []
    run = importing._run

    def noting(kind: str, source: Any, answer: Any) -> int:
        held.append(connection.connection is not None)
        return run(kind, source, answer)

    monkeypatch.setattr(importing, "_run", noting)
    assert body_of(_upload(in_english, "text/xlsx", HONEST))
    assert held == [False]
