"""What a person sees when the task monitor answers with an error: a page that says what to do, and no page of Flower's."""

import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from factories.browser import PASSWORD, Browser
from postern.apps.jobs.task_monitor.link import MONITOR, MonitorLink
from postern.apps.jobs.task_monitor.places import Places
from postern.apps.users.models import User

PAGE = {"accept": "text/html,application/xhtml+xml", "sec-fetch-mode": "navigate"}
DATA = {"accept": "application/json", "sec-fetch-mode": "cors"}
pytestmark = pytest.mark.any_database


class _Failing(BaseHTTPRequestHandler):
    """Answers every request with the status of the server and a page with internals."""

    def do_GET(self) -> None:
        assert isinstance(self.server, _Server)
        body = b"<h1>Oops</h1><pre>redis://secret@broker</pre>"
        self.send_response(self.server.status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "the web part"  # a Unix socket has no address

    def log_message(self, *_: object) -> None:
        pass


class _Server(socketserver.ThreadingUnixStreamServer):
    status = 500


@pytest.fixture
def monitor(tmp_path: Path) -> Iterator[_Server]:
    """A monitor that answers with errors, on the socket where the web part looks for it."""
    places = Places(tmp_path / "monitor.sock", tmp_path / "monitor.lock")
    with _Server(str(places.socket), _Failing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with MONITOR.replaced(MonitorLink(["false"], {}, places)):
            yield server
        server.shutdown()
        thread.join(10)


@pytest.fixture
def person(db: None, people: dict[str, User]) -> Browser:
    """A browser in which a system administrator has signed in."""
    people["admin"].set_password(PASSWORD)
    people["admin"].save()
    browser = Browser()
    assert browser.sign_in(people["admin"].username).status_code == 200
    return browser


@pytest.mark.parametrize("status", [500, 502, 503])
def test_error_of_the_monitor_is_a_page_that_says_what_to_do(person: Browser, monitor: _Server, status: int) -> None:
    monitor.status = status
    answer = person.get("/flower/", headers=PAGE)
    text = answer.content.decode()
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "secret@broker" not in text
    assert text.count("<a href=") == 2  # try again, back to the console
    assert "<h1>" in text
    data = person.get("/flower/workers", headers=DATA)
    assert (data.status_code, data.content) == (503, b"")


def test_page_that_is_not_found_is_passed_on(person: Browser, monitor: _Server) -> None:
    monitor.status = 404
    assert person.get("/flower/task/none", headers=PAGE).status_code == 404
