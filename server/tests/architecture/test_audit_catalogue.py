"""The audit log has a closed catalogue of events. Writers use only it, every event has texts, and every list an export
event.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

import postern
from postern.apps.audits.catalogue import Event
from postern.apps.audits.categories import Category
from postern.apps.audits.kinds_by_code import find, in_category, kind_of, words_of
from postern.foundation.checks import view_of, walk
from postern.foundation.rest.exchange.mixins import ExportMixin

SOURCE = Path(postern.__file__).parent
#: Functions of the facade that append to the log.
WRITERS = {"record", "record_change", "record_changes"}
CODE = re.compile(r"^[a-z][a-z_]*\.[a-z][a-z_]*$")


def _writing_calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted((SOURCE / "apps").rglob("*.py")) + sorted((SOURCE / "entrypoints").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", node


def test_no_writer_of_the_audit_log_uses_an_event_outside_the_catalogue() -> None:
    wrong = [
        where
        for where, call in _writing_calls()
        for keyword in call.keywords
        if keyword.arg == "event"
        for node in ast.walk(keyword.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.match(node.value)
    ]
    assert wrong == [], "use audits.Event.…"


def test_every_writer_names_an_existing_event() -> None:
    """An `audits.Event.SOMETHING` that does not exist would otherwise fail only when its line runs."""
    named = [
        (where, node.attr)
        for where, node in _attributes()
        if isinstance(node.value, ast.Attribute) and (node.value.attr, _name(node.value.value)) == ("Event", "audits")
    ]
    assert len(named) > 50
    assert [(where, name) for where, name in named if name not in Event.__members__] == []


def _attributes() -> Iterator[tuple[str, ast.Attribute]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", node


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("event", list(Event))
def test_every_event_has_texts_in_both_languages_and_one_category(event: Event) -> None:
    assert CODE.match(event.value)
    assert len(event.value) <= 64
    assert re.search("[A-Za-z]", event.english)
    assert re.search("[\u4e00-\u9fff]", event.chinese)
    assert event in in_category(event.category)
    with translation.override("zh-hans"):
        assert words_of(event.value) == event.chinese
    with translation.override("en"):
        assert words_of(event.value) == event.english


def test_no_two_events_share_a_code_or_a_text() -> None:
    for values in ([e.value for e in Event], [e.english for e in Event], [e.chinese for e in Event]):
        assert sorted(values) == sorted(set(values))


@pytest.mark.parametrize("category", list(Category))
def test_every_category_has_texts_and_events(category: Category) -> None:
    assert in_category(category)
    assert re.search("[\u4e00-\u9fff]", category.chinese)


def test_every_list_that_can_be_exported_has_an_event_for_it() -> None:
    missing = set()
    for route, pattern in walk():
        view = view_of(pattern)
        if isinstance(view, ExportMixin) and getattr(view, "exportable", True):
            model = view.queryset.model  # type: ignore[attr-defined]  # all of them declare it
            code = f"{model.__name__.lower()}.exported"
            if find(code) is None:
                missing.add((route, code))
    codes = " ".join(sorted({code for _route, code in missing}))
    assert codes == "", "add these kinds to `Event` in apps/audits/catalogue.py"


def test_event_outside_the_catalogue_is_refused() -> None:
    with pytest.raises(ValueError, match="not in the catalogue"):
        kind_of("thing.happened")
