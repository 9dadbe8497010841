"""Texts of the proxy: both languages, the same placeholders, a sentence for each end reason."""

import string

import pytest

from postern.contracts.enums import EndReason
from postern.proxies.core.texts import Text, end_message


@pytest.mark.parametrize("text", list(Text), ids=lambda text: text.name)
def test_text_has_both_languages_with_the_same_placeholders(text: Text) -> None:
    chinese, english = text.value

    assert chinese
    assert english
    assert _fields(chinese) == _fields(english)
    assert any("\u4e00" <= char <= "\u9fff" for char in chinese)
    assert not any("\u4e00" <= char <= "\u9fff" for char in english)


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("reason", list(EndReason))
def test_every_end_reason_has_a_sentence(reason: EndReason) -> None:
    assert end_message(reason, "en")
    assert end_message(reason, "zh-hans")
