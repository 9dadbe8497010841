"""What every answer has and every request must obey: headers, body limits, paths, and the files of the console."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import OperationalError
from django.test import Client
from rest_framework.test import APIClient

from postern.foundation.parts import health, part_board
from postern.foundation.parts.part_board import PartLife
from postern.foundation.requests.middleware import BODY_LIMITS, BodyLimits, body_limit_bytes
from postern.kernel import clock
from postern.kernel.errors import Unavailable
from postern.kernel.secret import Secret

MIB = 1024 * 1024


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Path]:
    """A small console build."""
    (tmp_path / "bundle").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>index")
    (tmp_path / "mark.svg").write_text("<svg/>")
    script = tmp_path / "bundle" / "app-1a2b.js"
    script.write_text("plain")
    script.with_name("app-1a2b.js.br").write_bytes(b"brotli")
    script.with_name("app-1a2b.js.gz").write_bytes(b"gzip")
    script.with_name("app-1a2b.js.map").write_text("source")
    with mock.patch.object(settings, "POSTERN", replace(settings.POSTERN, console_dist=tmp_path)):
        yield tmp_path


@pytest.fixture
def web() -> Client:
    return Client()


def _directives(answer: Any) -> dict[str, str]:
    parts = [part.strip().partition(" ") for part in answer["Content-Security-Policy"].split(";")]
    return {name: value for name, _, value in parts}


@pytest.mark.parametrize("path", ["/ui/", "/api/v1/no/such/", "/"])
def test_answers_carry_the_security_headers(web: Client, console: Path, path: str) -> None:
    answer = web.get(path)
    csp = _directives(answer)
    assert csp["default-src"] == "'none'"
    assert csp["frame-ancestors"] == "'none'"
    assert csp["require-trusted-types-for"] == "'script'"
    assert csp["trusted-types"] == "dompurify puzzle"
    assert csp["script-src"] == "'self'"
    assert "unsafe" not in answer["Content-Security-Policy"].replace("'wasm-unsafe-eval'", "")
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]
    assert "Strict-Transport-Security" not in answer


def test_answers_over_https_carry_hsts(web: Client, console: Path) -> None:
    with mock.patch.object(settings, "POSTERN", replace(settings.POSTERN, https=True)):
        assert web.get("/ui/")["Strict-Transport-Security"].startswith("max-age=31536000")


def test_api_answers_are_not_cached(web: Client) -> None:
    assert web.get("/api/v1/no/such/")["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("asked", "cookie", "language"),
    [("en", "", "en"), ("zh-CN", "", "zh-hans"), ("fr", "", "zh-hans"), ("", "", "zh-hans"), ("zh-CN", "en", "en")],
)
def test_answer_is_in_the_requested_language(web: Client, asked: str, cookie: str, language: str) -> None:
    if cookie:
        web.cookies["django_language"] = cookie
    answer = web.get("/api/v1/nothing/", headers={"Accept-Language": asked} if asked else {})
    assert answer["Content-Language"] == language
    assert "Accept-Language" in answer["Vary"]


def test_language_of_a_request_does_not_affect_the_next(web: Client) -> None:
    for language in ("en", "zh-hans", "en"):
        assert web.get("/api/v1/nothing/", headers={"Accept-Language": language})["Content-Language"] == language
    assert web.get("/api/v1/nothing/")["Content-Language"] == "zh-hans"


@pytest.mark.parametrize("typed", ["/", "/ui"])
def test_root_and_console_without_slash_redirect_to_the_console(web: Client, typed: str) -> None:
    answer = web.get(typed)
    assert (answer.status_code, answer["Location"]) == (302, "/ui/")


@pytest.mark.spec("S7-085")
def test_older_paths_of_the_web_terminal_redirect_to_the_console(web: Client, console: Path) -> None:
    session_id = "9f6c0e2a-6f58-4c0e-9d0c-2b7f6f0a4d11"
    for old, now in (
        (f"/luna/replay/{session_id}", f"/ui/terminal/sessions/{session_id}?activeTab=replay"),
        (f"/luna/monitor/{session_id}/", f"/ui/terminal/sessions/{session_id}?activeTab=watch"),
        ("/koko/elfinder/sftp/?asset=1", "/ui/files/?asset=1"),
    ):
        assert web.get(old)["Location"] == now
    assert web.get("/luna/replay/nonsense").status_code == 404
    answer = web.get("/luna/?login_to=9f6c0e2a")
    assert (answer.status_code, answer["Location"]) == (302, "/ui/connect/?login_to=9f6c0e2a")
    assert web.get(answer["Location"]).status_code == 200


@pytest.mark.parametrize(
    "path", ["/ui/", "/ui/users/users", "/ui/assets/9f6c0e2a/detail", "/ui/login", "/ui/index.html"]
)
def test_console_routes_return_the_index_page_which_is_never_cached(web: Client, console: Path, path: str) -> None:
    answer = web.get(path)
    assert answer.content == b"<!doctype html>index"
    assert answer["Cache-Control"] == "no-cache"
    assert answer["Content-Type"].startswith("text/html")


@pytest.mark.parametrize(
    ("accepted", "encoding", "content"),
    [("br, gzip", "br", b"brotli"), ("gzip;q=0.5", "gzip", b"gzip"), ("", None, b"plain"), ("deflate", None, b"plain")],
)
def test_console_assets_are_compressed_and_cached_for_a_year(
    web: Client, console: Path, accepted: str, encoding: str | None, content: bytes
) -> None:
    answer = web.get("/ui/bundle/app-1a2b.js", headers={"Accept-Encoding": accepted})
    assert answer.content == content
    assert answer.get("Content-Encoding") == encoding
    assert "immutable" in answer["Cache-Control"]
    assert answer["Content-Type"].startswith("text/javascript")
    assert "Accept-Encoding" in answer["Vary"]


@pytest.mark.parametrize(
    "name", ["bundle/none.js", "bundle/app-1a2b.js.map", "bundle/app-1a2b.js.br", "bundle/../index.html"]
)
def test_unknown_console_assets_are_not_found(web: Client, console: Path, name: str) -> None:
    assert web.get(f"/ui/{name}").status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/ui/../server/pyproject.toml", "/ui/%2e%2e/%2e%2e/etc/passwd", "/ui//etc/passwd", "/ui/..%2f..%2fetc/passwd"],
)
def test_k7_console_path_never_leaves_the_build_folder(web: Client, console: Path, path: str) -> None:
    answer = web.get(path)
    assert answer.status_code in {200, 404}
    assert b"root:" not in answer.content
    assert answer.content in {b"<!doctype html>index", b"Not found", b'{"error": "Not found"}'}


def test_missing_console_build_gets_a_clear_error(web: Client, tmp_path: Path) -> None:
    with mock.patch.object(settings, "POSTERN", replace(settings.POSTERN, console_dist=tmp_path / "none")):
        answer = web.get("/ui/")
    assert answer.status_code == 503
    assert b"make run" in answer.content


def test_rebuilt_console_is_noticed(web: Client, console: Path) -> None:
    assert web.get("/ui/").content == b"<!doctype html>index"
    (console / "new.txt").write_text("new")
    index = console / "index.html"
    index.write_text("<!doctype html>second")
    assert web.get("/ui/").content == b"<!doctype html>second"
    assert web.get("/ui/new.txt").content == b"new"


def test_k54_body_limit_is_raised_only_by_route() -> None:
    limits = BodyLimits(beginnings={"/api/v1/test-uploads/": 64 * MIB}, endings={})
    with BODY_LIMITS.replaced(limits):
        assert body_limit_bytes("/api/v1/test-uploads/1/") == 64 * MIB
        assert body_limit_bytes("/api/v1/users/users/") == 2 * MIB


@pytest.mark.django_db
def test_k9_forged_address_headers_change_nothing(as_admin: APIClient) -> None:
    forged = {"X-Forwarded-For": "203.0.113.66", "X-Real-IP": "203.0.113.66", "Forwarded": "for=203.0.113.66"}
    assert as_admin.post("/api/v1/users/groups/", {"name": "g"}, headers=forged).status_code == 201
    rows = as_admin.get("/api/v1/audits/operate-logs/?resource_type=UserGroup").json()
    assert [row["remote_addr"] for row in rows] == ["127.0.0.1"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("https", "origin", "status"), [(True, "https", 400), (False, "https", 403), (False, "http", 400)]
)
def test_k64_origin_is_compared_with_the_configured_scheme(https: bool, origin: str, status: int) -> None:
    """A client's `X-Forwarded-Proto` is ignored; the setting POSTERN_HTTPS decides."""
    client = Client(enforce_csrf_checks=True)
    with mock.patch.object(settings, "POSTERN", replace(settings.POSTERN, https=https)):
        client.get("/api/v1/authentication/sign-in/")
        answer = client.post(
            "/api/v1/authentication/sign-in/",
            {},
            content_type="application/json",
            headers={
                "X-CSRFToken": client.cookies["csrftoken"].value,
                "Origin": f"{origin}://testserver",
                "X-Forwarded-Proto": "https",
                "Host": "testserver",
            },
        )
    assert answer.status_code == status, answer.content


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/api/users/v1/users/?a=1", "/api/v1/users/users/?a=1"),
        ("/api/v1/assets/system-user/9f/?x=y", "/api/v1/assets/system-users/9f/?x=y"),
        ("/api/v1/perms/asset-permission/", "/api/v1/perms/asset-permissions/"),
    ],
)
def test_older_paths_redirect_with_method_and_query(web: Client, path: str, target: str) -> None:
    for method in ("get", "post", "delete"):
        answer = getattr(web, method)(path)
        assert (answer.status_code, answer["Location"]) == (307, target)


@pytest.mark.parametrize("path", ["/api/users/v1//evil.test/", "/api/users/v1/../../x", "/api/v1/assets/domain/..//x/"])
def test_k12_older_paths_redirect_only_on_this_site(web: Client, path: str) -> None:
    answer = web.get(path)
    assert answer.status_code == 404 or answer["Location"].startswith("/api/v1/")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/users/groups",
        "/api/v1/users//groups/",
        "/api/v1/USERS/groups/",
        "/api/v1/users/groups/;a",
        "/api/v1/users/groups/..;/",
        "/api/v1/./users/groups/",
        "/api/v1/users/%67roups/",
        "/api/users/v1/groups/",
    ],
)
def test_k58_other_spelling_of_a_path_opens_nothing(as_anonymous: APIClient, path: str) -> None:
    assert as_anonymous.get(path, follow=True).status_code in {401, 404}


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND"])
def test_k58_every_method_needs_the_right(as_anonymous: APIClient, method: str) -> None:
    assert as_anonymous.generic(method, "/api/v1/users/groups/").status_code in {401, 405}


@pytest.mark.django_db
class TestHealth:
    """`GET /api/health/`."""

    @pytest.fixture(autouse=True)
    def _parts(self) -> Iterator[None]:
        with health.CHECKS.replaced(health.OWN_CHECKS):
            yield

    def test_health_with_all_parts_running_is_ok(self, web: Client) -> None:
        health.stamp_worker()
        answer = web.get("/api/health/")
        assert answer.status_code == 200
        body = answer.json()
        assert body["status"] is True
        assert {name: part["ok"] for name, part in body["parts"].items()} == {
            "database": True,
            "redis": True,
            "worker": True,
        }
        assert {"db_status", "db_time", "redis_status", "redis_time", "time"} <= set(body)

    def test_health_shows_that_the_secret_store_is_down_and_stays_ok(self, web: Client) -> None:
        """A load balancer must not take every web node away, because most of Postern works without it."""

        def down() -> None:
            raise Unavailable("the secret store cannot be reached")

        health.stamp_worker()
        with health.CHECKS.replaced({**health.OWN_CHECKS, health.SECRET_STORE: down}):
            answer = web.get("/api/health/")
        assert answer.status_code == 200
        assert answer.json()["status"] is True
        assert answer.json()["parts"]["secret_store"]["ok"] is False

    def test_health_without_a_heartbeat_of_the_worker_is_503(self, web: Client) -> None:
        answer = web.get("/api/v1/health/")
        assert answer.status_code == 503
        assert answer.json()["parts"]["worker"]["ok"] is False

    @pytest.fixture
    def board(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        """The status file of a supervisor that is this process."""
        (tmp_path / "run").mkdir()
        monkeypatch.setenv(part_board.SUPERVISOR_PID, str(os.getpid()))
        with mock.patch.object(settings, "POSTERN", replace(settings.POSTERN, home=tmp_path)):
            yield part_board.path(settings.POSTERN)

    def test_health_is_503_while_a_part_is_dead_whatever_its_last_heartbeat(self, web: Client, board: Path) -> None:
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as part:
            part_board.write(board, {"worker": PartLife(part.pid, 0.0), "proxy": PartLife(part.pid, 0.0)})
            health.stamp_worker()
            assert web.get("/api/health/").status_code == 200
            part.kill()
            os.waitid(os.P_PID, part.pid, os.WEXITED | os.WNOWAIT)  # the part is dead, and its parent does not know yet
            answer = web.get("/api/health/")
            assert answer.status_code == 503
            assert answer.json()["parts"]["worker"]["ok"] is False
            assert answer.json()["parts"]["proxy"]["ok"] is False
            part.wait()
            assert web.get("/api/health/").status_code == 503

    def test_health_ignores_a_heartbeat_of_an_earlier_worker(self, web: Client, board: Path) -> None:
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as part:
            health.stamp_worker()
            part_board.write(board, {"worker": PartLife(part.pid, clock.now().timestamp())})
            assert web.get("/api/health/").status_code == 503
            health.stamp_worker()
            assert web.get("/api/health/").status_code == 200
            part.kill()

    def test_health_with_a_failing_part_reveals_no_reason(self, web: Client) -> None:
        def broken() -> None:
            raise RuntimeError("postgresql://ann:canary@db")

        health.stamp_worker()
        with health.CHECKS.replaced({**health.OWN_CHECKS, "proxy": broken}):
            answer = web.get("/api/health/")
        assert answer.status_code == 503
        assert b"canary" not in answer.content

    def test_k25_health_needs_the_token_when_one_is_set(self, web: Client) -> None:
        health.stamp_worker()
        with mock.patch.object(settings, "POSTERN", replace(settings.POSTERN, health_token=Secret("t0ken"))):
            assert web.get("/api/health/").status_code == 403
            assert web.get("/api/health/?token=wrong").status_code == 403
            assert web.get("/api/health/?token=t0ken").status_code == 200


@pytest.mark.parametrize(
    ("fault", "status"), [(OperationalError("database or disk is full"), 503), (RuntimeError("ours"), 500)]
)
def test_database_outage_in_a_middleware_gets_503_and_another_error_500_without_details(
    fault: Exception, status: int
) -> None:
    web = Client(raise_request_exception=False)
    with mock.patch.object(SessionMiddleware, "process_response", side_effect=fault):
        answer = web.get("/api/v1/no/such/")
    assert answer.status_code == status
    assert b"disk is full" not in answer.content
    if status == 503:
        assert answer.json()["code"] == "unavailable"
        assert answer.headers["Retry-After"] == "5"
