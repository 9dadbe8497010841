"""Codes of the server that the console says in words: each has some in both languages."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from postern.apps.authn.errors import SignInRefused

LOCALES = Path(__file__).parents[4] / "console/src/features/audits/locales"


def every(kind: type[SignInRefused]) -> Iterator[type[SignInRefused]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from every(narrower)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_login_log_says_in_words_why_a_sign_in_was_refused(language: str) -> None:
    words = json.loads((LOCALES / f"{language}.json").read_text())["reason"]
    assert set(words) == {refusal.slug for refusal in every(SignInRefused)}
