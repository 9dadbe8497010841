"""The whole product, started as an operator would start it, on free ports and with an empty data folder."""

import contextlib
import http.cookiejar
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import psutil
from prepared_home import PreparedHome

from factories.puzzles import solved
from peers.ports import free_port

POSTERN = Path(sys.executable).parent / "postern"
ADMIN_PASSWORD = "gate-Keeper-of-the-wall-7"
START_TIMEOUT_S = 240.0
#: How long a product that failed to start may take to stop before it is killed.
GIVE_UP_S = 60.0
#: The longest pause between two looks of `wait_until`.
LONGEST_PAUSE_S = 0.3
#: An ordinary shell's umask: the product itself must make files private.
ORDINARY_UMASK = 0o022


def wait_until(condition: Any, timeout_s: float = 60.0, every_s: float = 0.05, message: str = "condition") -> Any:
    """Call `condition` until it is true and return its value. Fails with the name of the condition after
    `timeout_s`.

    Most conditions ask a product, which costs it and the test some milliseconds of CPU time. The pauses grow with the
    time waited, so that a long wait does not slow down what it waits for.
    """
    begun = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        waited = time.monotonic() - begun
        if waited > timeout_s:
            raise AssertionError(f"{message} did not come true within {timeout_s:.0f} s")
        time.sleep(max(every_s, min(waited / 10, LONGEST_PAUSE_S)))


@dataclass(frozen=True)
class Answer:
    """Status and decoded body of an API answer."""

    status: int
    body: Any


def solving(call: Callable[[Any], Answer], body: Any) -> Answer:
    """Call with this body, and again with the solution if the answer is a puzzle."""
    answer = call(body)
    if answer.status == 400 and isinstance(answer.body, dict) and answer.body.get("error") == "puzzle_required":
        answer = call({**body, "puzzle": solved(answer.body["puzzle"])})
    return answer


class Api:
    """A client of the API with a browser's cookies."""

    def __init__(self, url: str, language: str = "en") -> None:
        self.url = url
        self.cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self._language = language

    def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        """Make one call. A refusal is returned as an answer, too. A puzzle is solved first, as the console does."""
        return solving(lambda sent: self._call(method, path, sent, headers), body)

    def _call(self, method: str, path: str, body: Any, headers: dict[str, str] | None) -> Answer:
        sent = {"Accept": "application/json", "Accept-Language": self._language, **(headers or {})}
        token = next((cookie.value for cookie in self.cookies if cookie.name == "csrftoken"), None)
        if token and method != "GET":
            sent["X-CSRFToken"] = token
            sent["Referer"] = self.url + "/"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=sent)
        try:
            with self._opener.open(request, timeout=90) as answer:
                return Answer(answer.status, _decoded(answer.read()))
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, _decoded(error.read()))

    def get(self, path: str) -> Any:
        return self._expect("GET", path, None, 200)

    def post(self, path: str, body: Any = None, status: int = 201) -> Any:
        return self._expect("POST", path, body, status)

    def patch(self, path: str, body: Any) -> Any:
        return self._expect("PATCH", path, body, 200)

    def delete(self, path: str) -> Any:
        return self._expect("DELETE", path, None, 204)

    def _expect(self, method: str, path: str, body: Any, status: int) -> Any:
        answer = self.call(method, path, body)
        assert answer.status == status, f"{method} {path}: {answer.status} {answer.body}"
        return answer.body

    def sign_in(self, username: str, password: str) -> Any:
        """Sign in as the console does."""
        self.call("GET", "/core/auth/login/")
        return self.post("/api/v1/authentication/sign-in/", {"username": username, "password": password}, 200)

    def cookie(self, name: str) -> str | None:
        return next((cookie.value for cookie in self.cookies if cookie.name == name), None)


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode(errors="replace")


def mute_load_messages(admin: Api) -> None:
    """Send nobody messages about the load of the machine: it is busy in tests, and they would come between those that a
    test counts.
    """
    admin.patch("/api/v1/notifications/system-msg-subscription/ServerPerformanceMessage/", {"receive_backends": []})


def ask_for_no_puzzles(admin: Api) -> None:
    """After a refused sign-in, which many tests want, every browser at this address would compute for most of a second.
    `test_puzzles` shows that with products of its own.
    """
    admin.patch("/api/v1/settings/setting/?category=security", {"SECURITY_LOGIN_CAPTCHA_ENABLED": False})


def ordinary_environ(home: Path) -> dict[str, str]:
    """The variables of a product without settings of the tester's shell."""
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith("POSTERN_") and key != "DATABASE_URL"},
        "POSTERN_HOME": str(home),
        "POSTERN_ADMIN_PASSWORD": ADMIN_PASSWORD,
    }


def migrate(home: Path) -> None:
    """Make a data folder with its database, without starting any service."""
    command = [str(POSTERN), "migrate"]
    subprocess.run(command, env=ordinary_environ(home), check=True, capture_output=True, umask=ORDINARY_UMASK)


class Product:
    """`postern up` in its own process."""

    #: All products that are running.
    started: "ClassVar[list[Product]]" = []
    #: What new data folders are copied from. None: each product migrates its own.
    prepared: ClassVar[PreparedHome | None] = None

    def __init__(self, home: Path, *arguments: str, anew: bool = False, **environ: str) -> None:
        """`arguments` of `postern up`. `anew`: the product itself makes the data folder at its first start."""
        self.home = home
        self._arguments = arguments
        self._anew = anew
        self.http_port, self.ssh_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.http_port}"
        self.log = home.with_name(home.name + ".log")
        self._environ = {
            **ordinary_environ(home),
            "POSTERN_HTTP": f"127.0.0.1:{self.http_port}",
            "POSTERN_SSH": f"127.0.0.1:{self.ssh_port}",
            **environ,
        }
        self.process: subprocess.Popen[bytes] | None = None
        self._log_seen = 0

    def start(self, limit_s: float = START_TIMEOUT_S) -> "Product":
        """Start and wait until every service is healthy. If one does not become healthy, no process is left behind."""
        if self.prepared is not None and not self._anew and not self.home.exists():
            self.prepared.copy_to(self.home, migrate)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(POSTERN), "up", *self._arguments],
                env=self._environ,
                stdout=log,
                stderr=subprocess.STDOUT,
                umask=ORDINARY_UMASK,
            )
        self.started.append(self)
        try:
            wait_until(self._healthy_or_ended, limit_s, message="health")
        except BaseException:  # also for a test that is interrupted meanwhile
            self._give_up()
            raise
        return self

    def _give_up(self) -> None:
        """Stop whatever was started, in any state."""
        assert self.process is not None
        self.started.remove(self)
        family = self.family()
        self.process.send_signal(signal.SIGINT)
        _, left = psutil.wait_procs(family, timeout=GIVE_UP_S)
        for process in {*left, *self.family()}:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left, timeout=GIVE_UP_S)
        self.process.wait(GIVE_UP_S)

    def family(self) -> list[psutil.Process]:
        """Return all processes of this product: those of its data folder, and their children."""
        processes: dict[int, psutil.Process] = {}
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("POSTERN_HOME") == str(self.home):
                    processes |= {member.pid: member for member in (process, *process.children(recursive=True))}
        return list(processes.values())

    def _healthy_or_ended(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"postern ended:\n{self.output()}"
        return self.healthy()

    def healthy(self) -> bool:
        try:
            return Api(self.url).call("GET", "/api/health/").status == 200
        except OSError:
            return False

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def mark_log(self) -> None:
        """Mark the start of what `new_log` returns."""
        self._log_seen = len(self.output())

    def new_log(self) -> str:
        return self.output()[self._log_seen :]

    def made_up_password(self) -> str:
        """Return the administrator's password as printed at the first start."""
        # It is printed after every service is up, shortly after the health page says so.
        banner: re.Match[str] = wait_until(lambda: re.search(r"admin / (\S+) ", self.output()), message="the banner")
        return banner.group(1)

    def part(self, name: str) -> psutil.Process:
        """Return the running process of a service: web, worker, proxy or redis."""
        assert self.process is not None
        for child in psutil.Process(self.process.pid).children():
            try:
                line = " ".join(child.cmdline())
            except psutil.Error:  # it has just ended
                continue
            if (name == "redis" and "redis-server" in line) or f"postern.entrypoints {name}" in line:
                return child
        raise AssertionError(f"{name} does not run")

    def kill_part(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Kill a service and wait until its successor runs."""
        before = self.part(name)
        before.send_signal(number)
        before.wait(60)

        def successor() -> bool:
            try:
                return self.part(name).pid != before.pid
            except AssertionError:
                return False

        wait_until(successor, message=f"a new {name}")

    def stop(self) -> int:
        """Stop as Ctrl-C does, and check that nothing is left behind."""
        assert self.process is not None
        self.started.remove(self)
        family = psutil.Process(self.process.pid).children(recursive=True) if self.process.poll() is None else []
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(120)
        _, left = psutil.wait_procs(family, timeout=60)
        assert not left, f"left behind: {[' '.join(process.cmdline()) for process in left]}"
        return status

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def api(self, username: str = "admin", password: str = ADMIN_PASSWORD, language: str = "en") -> Api:
        """Return a signed-in client of the API."""
        api = Api(self.url, language)
        api.sign_in(username, password)
        return api
