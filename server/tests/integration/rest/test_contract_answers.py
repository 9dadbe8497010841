"""Answers have the keys and shapes of the contract: docs/specification/contract-answers.tsv has a row for each built
call.

Columns: `keys` are the keys of the contract, `added` our own additional keys, `left_out` the contract's keys that we do
not answer, with the reason in `why`. `shape`: `rows` is a bare array, or an envelope when `limit` is sent; `bare` is
always an array; `object` is an object; `data` is an object inside `{"data": …}`.

After a deliberate change, `POSTERN_WRITE_MATRIX=1 pytest tests/integration/rest/test_contract_answers.py` rewrites
`added` and `left_out`. Then read the difference.
"""

import csv
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from postern.apps.audits import facade as audits
from postern.foundation.caller.actor import SYSTEM
from writes.case import filled
from writes.table import AREAS
from writes.world import World

TABLE = Path(__file__).resolve().parents[4] / "docs" / "specification" / "contract-answers.tsv"
COLUMNS = ("path", "query", "shape", "keys", "added", "left_out", "why")
API = "/api/v1/"
WRITE = bool(os.environ.get("POSTERN_WRITE_MATRIX"))
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]


def table() -> list[dict[str, str]]:
    return list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines(), delimiter="\t"))


@pytest.fixture
def world(world: World, secrets_need_no_code: None) -> World:
    audits.record_password_change(actor=SYSTEM, user_label="One")
    audits.record_sign_in(actor=SYSTEM, username="one-person", succeeded=True, reason="", login_type="W")
    return world


def url_of(row: dict[str, str], world: World, extra: str = "") -> str:
    """The URL of the call, with ids from the world. `{id}` is an object of the resource itself."""
    resource = row["path"].partition("{id}")[0].rstrip("/")
    values = {**world.values, "id": world.values.get(resource, "")}
    query = "&".join(query for query in (row["query"], extra) if query)
    url: str = filled(f"{API}{row['path']}{'?' + query if query else ''}", values)
    assert not re.search(r"[{}]", url), url
    return url


def keys_of(row: dict[str, str], body: Any) -> set[str]:
    """The keys of the answer. Asserts the shape too."""
    if row["shape"] in {"rows", "bare"}:
        assert isinstance(body, list), row["path"]
        assert body, f"{row['path']}: nothing to compare"
        first = set(body[0])
        assert all(set(row) == first for row in body), "all rows have the same keys"
        return first
    assert isinstance(body, dict), row["path"]
    return set(body["data"]) if row["shape"] == "data" else set(body)


def test_answers_keep_the_keys_and_shapes_of_the_contract(world: World) -> None:
    """Our own additional keys are listed in the table and never replace a key of the contract."""
    client = world.client("admin")
    wrong: dict[str, Any] = {}
    rows = table()
    for row in rows:
        name = f"{row['path']}?{row['query']}"
        answer = client.get(url_of(row, world))
        assert answer.status_code == 200, (name, answer.content[:300])
        keys, wanted = keys_of(row, answer.json()), set(row["keys"].split())
        added, left_out = keys - wanted, wanted - keys
        if WRITE:
            row["added"], row["left_out"] = " ".join(sorted(added)), " ".join(sorted(left_out))
        elif (added, left_out) != (set(row["added"].split()), set(row["left_out"].split())):
            wrong[name] = {"added": sorted(added), "left_out": sorted(left_out)}
        if row["shape"] == "rows":
            page = client.get(url_of(row, world, "limit=1&offset=0")).json()
            assert set(page) == {"count", "next", "previous", "results"}, name
            assert set(page["results"][0]) == keys, name
    if WRITE:
        lines = ["\t".join(COLUMNS), *("\t".join(row[column] or "" for column in COLUMNS) for row in rows)]
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert wrong == {}


def test_each_left_out_key_has_a_reason() -> None:
    assert [row["path"] for row in table() if bool(row["left_out"]) != bool(row["why"])] == []


@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
def test_answers_to_writes_have_the_keys_of_the_object_that_was_written(world: World, method: str) -> None:
    """A form gets the row as the list returns it, and at most a one-time link besides."""
    client = world.client("admin")
    details = {row["path"]: row for row in table() if row["path"].endswith("{id}/") and row["shape"] == "object"}
    compared = 0
    for writes in AREAS.values():
        for write in writes:
            path = write.path.removeprefix(API).replace("<pk>", "{id}")
            row = details.get(path if method != "POST" else f"{path}{{id}}/")
            plain = write.method == method and not write.prepare and isinstance(write.body, dict)
            if row is None or not plain or write.status not in {200, 201} or write.caller != "admin":
                continue
            at = filled(write.at, world.values)
            url = write.path.replace("<pk>", str(at.get("pk", "")))
            answer = client.generic(
                method, url, json.dumps(filled(write.body, world.values)), content_type="application/json"
            )
            if answer.status_code not in {200, 201}:
                # An earlier write of this loop conflicts with this one. The write proofs make each write in a fresh
                # world.
                continue
            expected = {*row["keys"].split(), *row["added"].split()} - set(row["left_out"].split())
            assert set(answer.json()) - {"set_password_link"} == expected, f"{method} {write.path}"
            compared += 1
    assert compared >= 3
