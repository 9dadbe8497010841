"""Every error answer has an agreed shape and a code, and reveals nothing internal (K23: errors reveal nothing
internal).
"""

import json
import re
from collections.abc import Callable
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from endpoints import HTTP, Endpoint
from factories.at_once import at_once
from postern.apps.audits.models import AuditEvent
from postern.apps.users.models import User, UserGroup
from postern.foundation.rest.serializers import ResourceSerializer

API = [endpoint for endpoint in HTTP if endpoint.right not in {"page", "terminal", "bootstrap"}]
INSIDE = re.compile(
    rb"Traceback|site-packages|/server/src|SELECT |INSERT |sqlite3|psycopg|\.py\b|Error at /", re.IGNORECASE
)

#: Content type, query and body that no endpoint expects, with values that could reach the database through the query.
ODD_VALUES: tuple[tuple[str, str, bytes], ...] = (
    ("application/json", "limit=" + "9" * 400 + "&offset=-" + "9" * 400, b'{"name": ' + b"9" * 5_000 + b"}"),
    ("application/json", "date_from=%00&search=%00&ids=%00&spm=%00&order=%00", b'{"name": "\\u0000", "id": "\\u0000"}'),
    ("application/json", "oid=%00", b"[" * 900 + b"]" * 900),
)
#: Requests that bring no value to the database: unparsable bodies, unknown fields and unknown parameters.
ODD_BODIES: tuple[tuple[str, str, bytes], ...] = (
    ("application/json", "x=" + "y" * 20_000, b"{}"),
    ("application/json", "&".join(f"a{number}=1" for number in range(2_500)), b"{}"),
    ("application/json", "", b'{"a": '),
    ("application/json", "", b"\xff\xfe\x00"),
    ("application/xml", "", b"<a/>"),
    ("multipart/form-data; boundary=x", "", b"--x\r\nbroken"),
    ("multipart/form-data", "", b"no boundary"),
    ("application/x-www-form-urlencoded", "", b"a=%ff&b=" + b"&" * 3_000),
    ("text/csv", "", b"a,b\n1,2"),
    ("", "", b"anything"),
    ("application/json; charset=nonsense", "", b"{}"),
)


def _reaches_database(endpoint: Endpoint) -> bool:
    """Whether values of a request can reach the database. What an import route reads is returned, not stored."""
    return not endpoint.path.endswith("/render-to-json/")


WITH_VALUES = [
    pytest.param(
        endpoint,
        id=f"{endpoint.method} {endpoint.path}",
        marks=() if _reaches_database(endpoint) else pytest.mark.any_database,
    )
    for endpoint in API
]


def _is_agreed(status: int, answer: Any) -> bool:
    """Whether the body has a shape of the contract.

    The shapes are `{"detail", "code"}`, `{"error"}` or `{"msg"}`, a map of fields, and an array of such maps.
    `{"error"}` and `{"msg"}` may have a `code` too.
    """
    if isinstance(answer, dict):
        if "code" in answer and "detail" in answer:
            return isinstance(answer["detail"], str) and re.fullmatch(r"[a-z0-9_]+", answer["code"]) is not None
        if {"error", "msg"} & set(answer) and set(answer) <= {"error", "msg", "code"}:
            return all(isinstance(value, str) for value in answer.values())
        return status == 400 and bool(answer) and all(isinstance(value, list | dict) for value in answer.values())
    return status == 400 and isinstance(answer, list)


@pytest.fixture
def admin(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    client = client_of(people["admin"])
    client.raise_request_exception = False
    return client


def _expect_agreed_answers(client: APIClient, endpoint: Endpoint, requests: tuple[tuple[str, str, bytes], ...]) -> None:
    for content_type, query, body in requests:
        sent = b"" if endpoint.method == "GET" else body
        answer = client.generic(endpoint.method, f"{endpoint.url}?{query}", sent, content_type=content_type)
        where = (content_type, query[:40], body[:40], answer.status_code)
        assert answer.status_code < 500, where
        assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["X-Request-Id"]), where
        if answer.status_code < 400 or answer.streaming:
            continue
        assert answer.headers["Content-Type"].startswith("application/json"), where
        assert _is_agreed(answer.status_code, json.loads(answer.content)), (where, answer.content[:300])
        assert not INSIDE.search(answer.content), (where, answer.content[:300])


@pytest.mark.django_db
@pytest.mark.spec("S3-078", "S3-079")
@pytest.mark.parametrize("endpoint", WITH_VALUES)
def test_k23_request_with_odd_values_gets_an_agreed_answer(admin: APIClient, endpoint: Endpoint) -> None:
    _expect_agreed_answers(admin, endpoint, ODD_VALUES)


@pytest.mark.django_db
@pytest.mark.any_database
@pytest.mark.spec("S3-078", "S3-079")
@pytest.mark.parametrize("endpoint", API, ids=lambda endpoint: f"{endpoint.method} {endpoint.path}")
def test_k23_request_with_an_odd_body_gets_an_agreed_answer(admin: APIClient, endpoint: Endpoint) -> None:
    _expect_agreed_answers(admin, endpoint, ODD_BODIES)


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_NAMES = st.sampled_from(
    ("id", "pk", "name", "comment", "users", "hostname", "ip", "protocols", "nodes", "platform", "labels")
)
_BODIES = st.lists(st.dictionaries(_NAMES, _VALUES, max_size=5), max_size=3) | st.dictionaries(
    _NAMES, _VALUES, max_size=6
)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/users/groups/", "/api/v1/assets/assets/", "/api/v1/assets/labels/"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(method=st.sampled_from(("POST", "PUT", "PATCH")), body=_BODIES)
def test_k23_any_body_gets_an_agreed_answer(path: str, admin: APIClient, method: str, body: Any) -> None:
    answer = admin.generic(method, path, json.dumps(body), content_type="application/json")
    assert answer.status_code < 500, answer.content
    if answer.status_code >= 400:
        assert _is_agreed(answer.status_code, json.loads(answer.content)), answer.content


def test_shapes_outside_the_contract_are_detected() -> None:
    for status, body in (
        (400, "text"),
        (404, {}),
        (403, {"detail": "x"}),
        (404, {"name": ["x"]}),
        (400, {"name": "x"}),
    ):
        assert not _is_agreed(status, body)


# --- concurrent creates ---


@pytest.mark.django_db(transaction=True)
def test_concurrent_creates_with_one_name_make_one_object(
    make_user: Callable[..., User], client_of: Callable[[User | None], APIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both requests see a free name before either writes. The unique constraint decides, and the answer names the
    field.
    """
    user, together = make_user("olaf", org_role="Admin"), Barrier(2, timeout=60)
    looks = ResourceSerializer._check_unique_in_org

    def looks_and_waits(self: ResourceSerializer, attrs: Any) -> None:
        looks(self, attrs)
        together.wait()

    monkeypatch.setattr(ResourceSerializer, "_check_unique_in_org", looks_and_waits)

    def post() -> tuple[int, Any]:
        answer = client_of(user).post("/api/v1/users/groups/", {"name": "same"})
        return answer.status_code, answer.json()

    answers = sorted(at_once(post, post), key=lambda answer: answer[0])
    assert [status for status, _body in answers] == [201, 400]
    assert set(answers[1][1]) == {"name"}
    assert UserGroup.objects.filter(name="same").count() == 1
    assert AuditEvent.objects.filter(resource_type="UserGroup", action="create").count() == 1
