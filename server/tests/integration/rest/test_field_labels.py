"""The labels in OPTIONS are words for people in both languages, never the raw field name."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from rest_framework.test import APIClient

from factories.lists import list_routes
from factories.payloads import make_all

pytestmark = pytest.mark.django_db

#: Matches raw names: names of flags and numbers, words that no title has, inner capitals, lower-case abbreviations.
_RAW: Final = re.compile(
    r"^(Is|Has) |\b(display|amount|addr|raw|url|id|ip|ssh|mfa|cpu)\b|_|^Id$|^Ip$|[a-z] (?!SSH|IP|ID|CPU|MFA|URL)[A-Z][a-z]"
)
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
#: Labels that are the same in both languages.
_ALIKE: Final = frozenset({"ID", "IP", "SHA-256", "Shell", "Sudo"})


def _labels(fields: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, field in fields.items():
        yield above + name, field.get("label", "")
        inner = field.get("children") or (field.get("child") or {}).get("children") or {}
        yield from _labels(inner, f"{above}{name}.")


def _all_labels(client: APIClient, language: str) -> Iterator[tuple[str, str]]:
    for route in list_routes():
        answer = client.options(route.path, headers={"Accept-Language": language})
        if answer.status_code == 200:
            for fields in answer.json().get("actions", {}).values():
                for name, label in _labels(fields):
                    yield f"{route.path} {name}", label


@pytest.fixture
def client(as_admin: APIClient) -> APIClient:
    make_all(as_admin, 1)
    return as_admin


def test_no_label_is_a_raw_field_name(client: APIClient) -> None:
    labels = dict(_all_labels(client, "en"))
    assert len(labels) > 400
    raw = {name: label for name, label in labels.items() if _RAW.search(label)}
    assert not raw, sorted(raw.items())


def test_every_label_is_translated(client: APIClient) -> None:
    labels = dict(_all_labels(client, "zh-hans"))
    assert len(labels) > 400
    plain = {name: label for name, label in labels.items() if not _CHINESE.search(label) and label not in _ALIKE}
    assert not plain, sorted(plain.items())


def test_display_field_has_the_label_of_its_field(client: APIClient) -> None:
    labels = dict(_all_labels(client, "en"))
    pairs = {name: name.removesuffix("_display") for name in labels if name.endswith("_display")}
    different = {
        name: labels[name]
        for name, displayed in pairs.items()
        if displayed in labels and labels[name] != labels[displayed]
    }
    assert pairs
    assert different == {}
