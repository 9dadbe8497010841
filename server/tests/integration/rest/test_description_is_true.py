"""Calls every operation of the API description: no 5xx, and each status and body is described."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

import jsonschema
import pytest
from rest_framework.test import APIClient

from postern.foundation.rest.openapi.document import document
from writes.case import Write, filled
from writes.generated import WRONG, Values
from writes.table import AREAS
from writes.trial import Trial, prepared, undone
from writes.world import World

pytestmark = [pytest.mark.timeout(600), pytest.mark.django_db]

METHODS = ("get", "post", "put", "patch", "delete")
#: Calls of each operation with generated values, besides the valid calls of the table of writes.
CALLS = 4


@dataclass(frozen=True)
class Operation:
    """An operation of the API description."""

    path: str
    method: str

    @property
    def description(self) -> dict[str, Any]:
        described: dict[str, Any] = document()["paths"][self.path][self.method]
        return described

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"


OPERATIONS = [
    Operation(path, method) for path, item in document()["paths"].items() for method in METHODS if method in item
]


def _shape(path: str) -> str:
    """The path with anonymous arguments, because routes and description name the arguments differently."""
    return re.sub(r"<[^>]+>|\{[^}]+\}", "{}", path)


@cache
def _writes() -> dict[tuple[str, str], list[Write]]:
    writes: dict[tuple[str, str], list[Write]] = {}
    for area in AREAS.values():
        for write in area:
            writes.setdefault((_shape(write.path), write.method.lower()), []).append(write)
    return writes


@cache
def _arguments() -> dict[str, Write]:
    """A write for each path; it knows valid values for the arguments of the path."""
    return {shape: writes[0] for (shape, _method), writes in _writes().items() if writes[0].at}


@cache
def _rules(schema: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({**json.loads(schema), "components": document()["components"]})


def mismatch(operation: Operation, answer: Any) -> str | None:
    """The difference between the answer and the description, or None when they agree."""
    status = str(answer.status_code)
    if answer.status_code >= 500 and answer.status_code != 503:
        return f"{status}"
    response = operation.description["responses"].get(status)
    if response is None:
        return f"{status} is not described: {_body(answer)[:120]!r}"
    if "$ref" in response:
        response = document()["components"]["responses"][response["$ref"].rpartition("/")[2]]
    kind = answer.get("Content-Type", "").split(";")[0]
    schema = response.get("content", {}).get(kind, {}).get("schema")
    if kind != "application/json" or schema is None or "fields_size=" in answer.wsgi_request.get_full_path():
        return None  # the request asked for some of the fields only
    errors = sorted(_rules(json.dumps(schema)).iter_errors(json.loads(_body(answer) or "null")), key=str)
    return f"{status}: {errors[0].json_path}: {errors[0].message[:160]}" if errors else None


def _body(answer: Any) -> bytes:
    return b"" if answer.streaming else bytes(answer.content)


def _url(operation: Operation, world: World, values: Values, *, wrong: float) -> str:
    write = _arguments().get(_shape(operation.path))
    known = iter(
        [str(filled(text, {**world.values})) for text in write.at.values()]
        if write is not None and write.prepare is None
        else []
    )

    def argument(_found: re.Match[str]) -> str:
        value = next(known, "9f6c0e2a-0000-4000-8000-000000000000")
        return "no-such-thing" if values.pick(wrong) else value

    url = re.sub(r"\{[^}]+\}", argument, operation.path)
    query = {
        parameter["name"]: values.of(parameter["schema"], wrong=wrong)
        for parameter in operation.description.get("parameters", ())
        if parameter["in"] == "query" and values.pick(0.3)
    }
    texts = {name: str(value).encode("utf-8", "replace") for name, value in query.items()}
    return f"{url}?{urlencode(texts)}" if texts else url


def _call(client: APIClient, operation: Operation, url: str, values: Values, *, wrong: float) -> Any:
    schema = operation.description.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    body = json.dumps(values.of(schema, wrong=wrong)) if schema is not None else ""
    answer = client.generic(operation.method.upper(), url, body, content_type="application/json")
    if answer.streaming:
        for _piece in answer.streaming_content:
            pass
    return answer


def _driven(world: World, operations: list[Operation]) -> Iterator[str]:
    for operation in operations:
        client = world.client("admin")
        for number in range(CALLS):
            values = Values(
                document()["components"]["schemas"], random.Random(f"{operation} {number}").randrange(10**9)
            )
            wrong = (0.0, 0.0, 0.15, 0.4)[number % 4]
            url = _url(operation, world, values, wrong=wrong)
            with undone():
                difference = mismatch(operation, _call(client, operation, url, values, wrong=wrong))
            if difference is not None:
                yield f"{operation} ({url}) {difference}"


@pytest.mark.parametrize("share", range(4))
def test_generated_call_of_every_operation_is_answered_as_described(share: int, world: World) -> None:
    faults = list(_driven(world, OPERATIONS[share::4]))
    assert not faults, "\n".join(faults)


def _right_calls(world: World, operation: Operation) -> Iterator[Trial]:
    for write in _writes().get((_shape(operation.path), operation.method), ()):
        if write.format == "json" and write.caller in {"admin", "browser"}:
            with undone():
                yield prepared(write, world)


def test_valid_call_of_every_writing_operation_is_answered_as_described(world: World) -> None:
    faults, tried = [], 0
    for operation in OPERATIONS:
        for trial in _right_calls(world, operation):
            tried += 1
            difference = mismatch(operation, trial.call())
            if difference is not None:
                faults.append(f"{operation} ({trial.url}) {difference}")
    assert tried > 150
    assert not faults, "\n".join(faults)


def test_object_of_every_resource_is_answered_as_described(world: World) -> None:
    """Covers single objects, and lists that contain objects."""
    faults, mismatches = [], 0
    for operation in OPERATIONS:
        if operation.method != "get":
            continue
        values = Values({}, 1)
        url = _url(operation, world, values, wrong=0).partition("?")[0]
        for query in ("", "?limit=5&offset=0"):
            answer = world.client("admin").get(url + query)
            mismatches += answer.status_code == 200
            difference = mismatch(operation, answer)
            if difference is not None:
                faults.append(f"{operation} ({url}{query}) {difference}")
    assert mismatches > 100
    assert not faults, "\n".join(faults)


def test_wrong_description_is_detected(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests the driver itself, which would also pass if it compared nothing."""
    operation = Operation("/api/v1/users/groups/", "get")
    answer = world.client("admin").get(operation.path)
    assert mismatch(operation, answer) is None
    monkeypatch.setitem(
        operation.description["responses"], "200", {"content": {"application/json": {"schema": {"type": "string"}}}}
    )
    assert mismatch(operation, answer) is not None
    monkeypatch.delitem(operation.description["responses"], "200")
    assert "is not described" in str(mismatch(operation, answer))
    assert WRONG
