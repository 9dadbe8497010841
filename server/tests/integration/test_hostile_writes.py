"""Every call of the table of writes with one wrong field: the answer is a 4xx and never a 5xx.

`tests/integration/test_hostile_input.py` sends invalid bodies. Here only one field is wrong, so that its value gets
past the first checks: organizations, messages, access keys, the second factor, licences, proxies.
"""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from writes.case import Write
from writes.table import AREAS
from writes.trial import Trial, prepared, undone
from writes.world import World

pytestmark = [pytest.mark.timeout(600), pytest.mark.django_db, pytest.mark.stricter_on_postgresql]

VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    "",
    "\x00",
    "\ud800",
    "x" * 70_000,
    [],
    [None],
    {},
    2**63,
    1e308,
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2016-12-31T23:59:60Z",
    "2026-01-01T24:00:00Z",
    "9f6c0e2a-0000-4000-8000-000000000000",
    ["9f6c0e2a-0000-4000-8000-000000000000"],
)
FILES = (
    b"",
    b"\x00" * 64,
    b"{",
    b"[" * 100_000,
    b'{"format": "postern-licence/1"}',
    b"PK\x03\x04" * 50,
    b"\xff\xfe" * 9_000,
)


def _bent(body: Any) -> Iterator[tuple[str, Any]]:
    """The body with each field in turn replaced by each value. Of an array, the first item is changed."""
    inner = body[0] if isinstance(body, list) and body else body
    if not isinstance(inner, dict):
        yield from ((repr(value)[:40], value) for value in VALUES)
        return
    for name in inner:
        for value in VALUES:
            changed = copy.deepcopy(body)
            (changed[0] if isinstance(changed, list) else changed)[name] = value
            yield f"{name}={value!r:.40}", changed


def _faults(trial: Trial) -> list[str]:
    faults = []
    for label, body in _bent(trial.body):
        with undone():
            answer = trial.call_with(body)
            if answer.status_code >= 500 and answer.status_code != 503:
                faults.append(f"{trial.write} {label}: {answer.status_code}")
    return faults


def _once(area: str) -> list[Write]:
    """One call for each route that has a body of fields. PUT only where there is no PATCH."""
    chosen: dict[tuple[str, str], Write] = {}
    for write in AREAS[area]:
        method = "PATCH" if write.method == "PUT" else write.method
        if isinstance(write.body, dict | list) and write.format == "json":
            chosen.setdefault((method, write.path), write)
    return list(chosen.values())


@pytest.mark.parametrize("area", list(AREAS))
def test_k22_no_wrong_value_in_a_valid_body_causes_a_5xx(area: str, world: World) -> None:
    faults: list[str] = []
    for write in _once(area):
        with undone():
            faults += _faults(prepared(write, world))
    assert not faults, "\n".join(faults)


def test_no_licence_file_causes_a_5xx(world: World) -> None:
    client = world.client("admin")
    for content in FILES:
        answer = client.post(
            "/api/v1/xpack/license/import", {"file": SimpleUploadedFile("l.bin", content)}, format="multipart"
        )
        assert answer.status_code in {200, 400}, content[:20]
        assert answer.json().get("status", False) is False
    for body in ({"file": "text"}, {"file": ["a", "b"]}, {}):
        assert client.post("/api/v1/xpack/license/import", body, format="multipart").status_code == 400
