"""Who may call what: every route of the URL configuration and every websocket, compared with a reviewed table.

The table is `authorization_matrix.tsv`: path, method, declared right, and the result for each role. `ok` means that the
role is let in, whatever the answer then is; otherwise the cell is the status. Unlisted routes and listed routes that
are gone fail, and each cell is tried with a real request.

After a deliberate change, run `POSTERN_WRITE_MATRIX=1 pytest tests/architecture/test_authorization_matrix.py`, then
read the difference line by line.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter
from rest_framework.test import APIClient

from endpoints import ENDPOINTS, HTTP, PASSWORD, ROLES, SIGN_IN, Endpoint
from postern.apps.users.models import User
from postern.entrypoints.websockets import websocket_urlpatterns
from postern.foundation.rest.rights import Right

TABLE = Path(__file__).with_name("authorization_matrix.tsv")
HEAD = ("path", "method", "right", *ROLES)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def table() -> dict[tuple[str, str], dict[str, str]]:
    """The rows of the reviewed table."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert tuple(lines[0].split("\t")) == HEAD
    rows = [dict(zip(HEAD, line.split("\t"), strict=True)) for line in lines[1:]]
    assert len({(row["path"], row["method"]) for row in rows}) == len(rows), "a row is there twice"
    return {(row["path"], row["method"]): row for row in rows}


def _call(client: APIClient, endpoint: Endpoint) -> int:
    client.raise_request_exception = False
    body = "" if endpoint.method == "GET" else "{}"
    return client.generic(endpoint.method, endpoint.url, body, content_type="application/json").status_code


def _verdict(status: int) -> str:
    return str(status) if status in {401, 403, 405} else "ok"


async def _knock(endpoint: Endpoint, cookies: str) -> str:
    """Open a websocket with a browser's cookies; returns `ok` unless it is closed for lack of a right."""
    headers = [(b"host", b"testserver"), (b"origin", b"http://testserver"), (b"cookie", cookies.encode())]
    scope = {
        "type": "websocket",
        "path": endpoint.url,
        "raw_path": endpoint.url.encode(),
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 50_000),
        "server": ("testserver", 80),
        "subprotocols": [],
    }
    socket = ApplicationCommunicator(URLRouter(websocket_urlpatterns), scope)
    await socket.send_input({"type": "websocket.connect"})
    answer = await socket.receive_output(5)
    if answer["type"] == "websocket.accept":
        # Some sockets speak first, all others answer this: it is no message of theirs.
        await socket.send_input({"type": "websocket.receive", "text": "?"})
        answer = await socket.receive_output(5)
    await socket.send_input({"type": "websocket.disconnect", "code": 1000})
    await socket.wait(5)
    return "401" if answer["type"] == "websocket.close" and answer.get("code", 1006) in {1000, 1006, 4401} else "ok"


def _cookies_of(user: User | None) -> str:
    """The cookies of a browser in which the user has signed in."""
    client = APIClient()
    if user is not None:
        user.set_password(PASSWORD)
        user.save()
        answer = client.post(SIGN_IN, {"username": user.username, "password": PASSWORD}, format="json")
        assert answer.status_code == 200, answer.content
    return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())


def _compare(answers: dict[tuple[str, str], dict[str, str]]) -> None:
    """Compare the rows of these endpoints with the table, or write them when POSTERN_WRITE_MATRIX is set."""
    if os.environ.get("POSTERN_WRITE_MATRIX"):
        current_rows = {key: row for key, row in table().items() if key in {(e.path, e.method) for e in ENDPOINTS}}
        rows = sorted((current_rows | answers).values(), key=lambda row: (row["path"], row["method"]))
        TABLE.write_text(
            "".join("\t".join(row[name] for name in HEAD) + "\n" for row in [dict(zip(HEAD, HEAD, strict=True)), *rows])
        )
    reviewed = table()
    assert {key: row for key, row in answers.items() if reviewed.get(key) != row} == {}, "differs from the table"


def test_k4_matrix_lists_every_endpoint_and_nothing_else() -> None:
    listed, existing = set(table()), {(endpoint.path, endpoint.method) for endpoint in ENDPOINTS}
    assert existing - listed == set(), (
        "not listed: run this file with POSTERN_WRITE_MATRIX=1, then read the new lines of authorization_matrix.tsv"
    )
    assert listed - existing == set(), "listed, but gone"


@pytest.mark.django_db
@pytest.mark.usefixtures("licensed")
def test_k4_endpoints_answer_each_role_as_the_matrix_says(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    answers: dict[tuple[str, str], dict[str, str]] = {}
    faults: list[str] = []
    for endpoint in HTTP:
        statuses = {role: _call(client_of(people.get(role)), endpoint) for role in ROLES}
        faults += [f"{endpoint} {role}: {status}" for role, status in statuses.items() if status in {500, 501, 502}]
        cells = {role: _verdict(status) for role, status in statuses.items()}
        answers[endpoint.path, endpoint.method] = {
            "path": endpoint.path,
            "method": endpoint.method,
            "right": endpoint.right,
            **cells,
        }
    assert faults == []
    _compare(answers)


@pytest.mark.django_db(transaction=True)
async def test_k19_websockets_answer_each_role_as_the_matrix_says(people: dict[str, User]) -> None:
    cookies = {role: await sync_to_async(_cookies_of)(people.get(role)) for role in ROLES}
    answers: dict[tuple[str, str], dict[str, str]] = {}
    for endpoint in ENDPOINTS:
        if endpoint.method.startswith("WS"):
            cells = {role: await _knock(endpoint, cookies[role]) for role in ROLES}
            answers[endpoint.path, endpoint.method] = {
                "path": endpoint.path,
                "method": endpoint.method,
                "right": endpoint.right,
                **cells,
            }
    _compare(answers)


@pytest.mark.django_db
@pytest.mark.parametrize("path", sorted({endpoint.path for endpoint in HTTP if endpoint.right != "page"}))
def test_k58_undeclared_methods_are_refused(
    path: str, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    listed = {endpoint.method for endpoint in HTTP if endpoint.path == path}
    for method in set(METHODS) - listed:
        endpoint = Endpoint(path, method, "")
        assert _call(client_of(people["admin"]), endpoint) == 405
        assert _call(client_of(None), endpoint) in {401, 405}


@pytest.mark.django_db
@pytest.mark.spec("S1-041", "S1-042")
def test_k75_licensed_endpoints_are_closed_without_a_licence(
    people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    """The same cells without a licence: nobody can use the extension, and the public settings tell the console to hide
    it.
    """
    public = client_of(None).get("/api/v1/settings/public/").json()["data"]
    assert public["XPACK_LICENSE_IS_VALID"] is False
    reviewed, licensed = table(), [endpoint for endpoint in HTTP if endpoint.path.startswith("/api/v1/xpack/")]
    opening = {"/api/v1/xpack/license/detail", "/api/v1/xpack/license/import"}
    assert {endpoint.path for endpoint in licensed} > opening
    for endpoint in licensed:
        cells = {role: _verdict(_call(client_of(people.get(role)), endpoint)) for role in ROLES}
        with_licence = {role: reviewed[endpoint.path, endpoint.method][role] for role in ROLES}
        closed = {role: "403" if cell == "ok" else cell for role, cell in with_licence.items()}
        assert cells == (with_licence if endpoint.path in opening else closed), endpoint


#: Roles that a declared right must always keep out. The table may be stricter, but not wider.
CLOSED_TO = {
    Right.AUTHENTICATED: {"anonymous"},
    Right.VALID_USER: {"anonymous"},
    Right.ORG_MEMBER: {"anonymous"},
    Right.ORG_AUDITOR: {"anonymous", "user"},
    Right.ORG_ADMIN: {"anonymous", "user", "auditor", "system_auditor"},
    Right.SUPER_AUDITOR: {"anonymous", "user", "auditor", "org_admin"},
    Right.SUPER_USER: {"anonymous", "user", "auditor", "org_admin", "system_auditor"},
    Right.TERMINAL: set(ROLES),
    Right.BOOTSTRAP: set(ROLES),
}


def test_matrix_admits_no_role_that_the_right_keeps_out() -> None:
    leaks = []
    for row in table().values():
        if row["right"] in {"page", Right.ANYONE.value}:
            continue
        kept_out = set.intersection(*(CLOSED_TO[Right(name)] for name in row["right"].split("|")))
        leaks += [f"{row['method']} {row['path']}: {role}" for role in sorted(kept_out) if row[role] == "ok"]
    assert leaks == []
