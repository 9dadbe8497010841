"""Reading files: shape, limits, and the place of every problem."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.plans.files import items
from postern.apps.plans.files.checking import Checker
from postern.apps.plans.files.errors import MOST_SHOWN, FileRefused, Place
from postern.apps.plans.files.items import MAX_BYTES, MAX_DEPTH, read_items
from postern.apps.plans.files.schema import schema
from postern.apps.plans.files.shapes import VERSION
from postern.apps.plans.files.writing import write_file

HEAD = "version: 1\norganization: Default\n"
ROOT = Path(__file__).parents[4]


def checked(text: str) -> Checker:
    return Checker(read_items(text))


def places(text: str) -> list[tuple[int, int]]:
    try:
        return sorted((place.line, place.column) for place, _message in checked(text).problems)
    except FileRefused as refused:
        return [(place.line, place.column) for place, _message in refused.problems]


def test_all_fields_are_read() -> None:
    wish = checked(
        HEAD
        + """\
asset_permissions:
  - name: "42"
    users: [b, a]
    actions: [upload_file, connect]
    is_active: false
    date_start: 2026-05-01T08:00:00+02:00
    comment: |
      two
      lines
command_filters:
  - name: careful
    rules:
      - content: ls
        priority: 7
prune: {nodes: true, user_groups: false}
"""
    ).wish
    entry = wish.kinds["asset_permissions"]["42"]
    assert entry.values == {
        "users": ("a", "b"),
        "actions": ("connect", "upload_file"),
        "is_active": False,
        "date_start": datetime(2026, 5, 1, 6, tzinfo=UTC),
        "comment": "two\nlines",
    }
    assert entry.named == {("users", "a"): Place(5, 16), ("users", "b"): Place(5, 13)}
    assert wish.kinds["command_filters"]["careful"].values["rules"] == (
        {"content": "ls", "type": "command", "priority": 7, "action": "deny", "reviewers": (), "comment": ""},
    )
    assert list(wish.prune) == ["nodes"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(1, 1)]),
        ("# nothing\n", [(1, 1)]),
        ("[]", [(1, 1), (1, 1), (1, 1)]),
        ("version: 2\norganization: 7\n", [(1, 10), (2, 15)]),
        (HEAD + "usergroups: []\n", [(3, 1)]),
        (HEAD + "user_groups: {}\nnodes: /Default\n", [(3, 14), (4, 8)]),
        (HEAD + "user_groups:\n  - nme: x\n  - {name: a}\n  - {name: a}\n", [(4, 5), (4, 5), (6, 12)]),
        (HEAD + "user_groups:\n  - {name: a, name: b, users: [1, x, x]}\n", [(4, 15), (4, 32), (4, 38)]),
        (HEAD + "nodes: [Default, /, //a, '/a/ b', /a//b, /a, /a]\n", [(3, n) for n in (9, 18, 21, 26, 35, 46)]),
        (HEAD + "asset_permissions: [{name: x, is_active: yes, actions: [all, fly]}]\n", [(3, 42), (3, 62)]),
        (HEAD + "asset_permissions: [{name: x, date_start: 2026-01-01, date_expired: 2026-01-01T00:00}]\n",
         [(3, 43), (3, 69)]),
        (HEAD + "asset_permissions: [{name: x, date_start: 2026-01-02T00:00Z, date_expired: 2026-01-01T00:00Z}]\n",
         [(3, 76)]),
        (HEAD + "command_filters: [{name: x, rules: [{priority: 0, content: ''}, {content: a, action: stop}]}]\n",
         [(3, 48), (3, 60), (3, 86)]),
        (HEAD + "user_groups: [{name: ' a'}, {name: \"a\\u202e\"}, {name: " + "x" * 129 + "}]\n",
         [(3, 22), (3, 36), (3, 55)]),
        (HEAD + "prune: true\n", [(3, 8)]),
        (HEAD + "prune: {assets: true, nodes: 1}\n", [(3, 9), (3, 30)]),
        ("a: &x 1\n", [(1, 4)]),
        ("a: *x\n", [(1, 4)]),
        ("a: !!python/object/apply:os.system [ls]\n", [(1, 4)]),
        ("? [a]\n: b\n", [(1, 3)]),
        ("a: 1\n---\nb: 2\n", [(2, 1)]),
        ("a: [1\nb: 2\n", [(2, 2)]),
        ("a: \x07\n", [(1, 4)]),
        ("[" * (MAX_DEPTH + 1), [(1, MAX_DEPTH + 1)]),
    ],
)  # fmt: skip
def test_problems_have_their_places(text: str, expected: list[tuple[int, int]]) -> None:
    assert places(text) == expected


def test_an_unknown_key_is_told_the_nearest_known_one() -> None:
    (problem,) = checked(HEAD + "asset_permissions:\n  - {name: x, user_group: [a]}\n").problems
    assert "user_groups" in problem.message


def test_sizes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    assert places("a: " + "x" * MAX_BYTES) == [(1, 1)]
    monkeypatch.setattr(items, "MAX_ITEMS", 1_000)
    assert places("[" + "1," * 1_000 + "]") == [(1, 2_000)]
    found = checked(HEAD + "user_groups: [" + "1," * 500 + "]\n").problems
    lines = FileRefused(found).lines("plan.yaml")
    assert (len(lines), lines[0][:15]) == (MOST_SHOWN + 1, "plan.yaml:3:15:")


@given(
    st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Zl", "Zp")), min_size=1).map(str.strip).filter(bool)
)
def test_every_text_is_written_so_that_it_is_read_again(text: str) -> None:
    written = write_file(text, {"user_groups": {text: {"users": (text,), "comment": text}}})
    wish = checked(written).wish
    assert wish.organization == text[:128] or len(text) > 128
    if len(text) <= 128:
        assert wish.kinds["user_groups"][text].values == {"users": (text,), "comment": text}
        assert yaml.safe_load(written)["user_groups"] == [{"name": text, "users": [text], "comment": text}]


@given(st.text())
def test_no_file_ends_otherwise_than_with_problems(text: str) -> None:
    places(text)


def test_the_published_schema_is_that_of_the_reader() -> None:
    published = json.loads((ROOT / "docs/reference/access-plan-1.schema.json").read_text(encoding="utf-8"))
    assert published == schema()
    assert set(published["properties"]) == {
        "version", "organization", "prune", "nodes", "user_groups", "asset_permissions", "application_permissions",
        "command_filters",
    }  # fmt: skip
    assert published["$id"].endswith(f":{VERSION}")
