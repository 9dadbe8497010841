"""No route stores names, subjects and comments with characters that make them look like other text.

They are refused before the database is asked.
"""

from typing import Any

import pytest

from writes.case import Write, filled
from writes.table import AREAS
from writes.trial import Trial, prepared, undone
from writes.world import World

pytestmark = [pytest.mark.timeout(600), pytest.mark.django_db, pytest.mark.any_database]

TURNED = "\u202egnp.exe"
#: Fields whose text names or describes an object.
NAMES = ("name", "username", "hostname", "value", "subject", "message", "comment", "number", "wechat", "phone")


def _items(body: Any) -> list[dict[str, Any]]:
    return [item for item in (body if isinstance(body, list) else [body]) if isinstance(item, dict)]


def _let_through(trial: Trial) -> list[str]:
    stored = []
    named = {name for item in _items(trial.body) for name in item if name in NAMES and isinstance(item[name], str)}
    for name in named:
        body = trial.body
        for item in _items(body):
            item[name] = TURNED
        with undone():
            answer = trial.call_with(body)
            if answer.status_code < 300:
                stored.append(f"{trial.write} {name}: {answer.status_code}")
    return stored


def _candidates(area: str) -> list[Write]:
    # Sign-in names, and texts that proxies report about targets, are accepted.
    # The console displays such characters as codes.
    return [
        w
        for w in AREAS[area]
        if w.format == "json" and w.caller in {"admin", "browser"} and isinstance(w.body, dict | list)
    ]


@pytest.mark.parametrize("area", list(AREAS))
def test_no_route_stores_a_name_with_reversed_text(area: str, world: World) -> None:
    let_through: list[str] = []
    for write in _candidates(area):
        with undone():
            let_through += _let_through(prepared(write, world))
    assert not let_through, "\n".join(let_through)
    assert filled("{admin}", world.values)
