"""Codes of the server that the console translates: each has a text in both languages."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import postern.entrypoints.urls  # noqa: F401 - loads every module with a refusal
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.ssh_certificates.errors import Fault

LOCALES = Path(__file__).parents[4] / "console/src/features/audits/locales"


def every(kind: type[SignInRefused]) -> Iterator[type[SignInRefused]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from every(narrower)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_login_log_has_a_text_for_each_reason_of_a_refused_sign_in(language: str) -> None:
    words = json.loads((LOCALES / f"{language}.json").read_text())["reason"]
    # one class refuses certificates, with a reason for each fault
    assert set(words) == {refusal.slug for refusal in every(SignInRefused)} | {fault.value for fault in Fault}
