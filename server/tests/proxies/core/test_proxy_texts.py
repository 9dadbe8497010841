"""Texts of the proxy: both languages, the same placeholders, a sentence for each end reason."""

import string

import pytest

from postern.contracts.enums import EndReason
from postern.proxies.core.holding.texts import Text as FilterText
from postern.proxies.core.spoken import Spoken
from postern.proxies.core.texts import Text, end_message
from postern.proxies.ssh.menu_texts import MenuText
from postern.proxies.terminal.files.texts import Text as FilesText
from postern.proxies.terminal.texts import Text as PageText


@pytest.mark.parametrize("text", [*Text, *FilterText, *MenuText, *PageText, *FilesText], ids=str)
def test_text_has_both_languages_with_the_same_placeholders(text: Spoken) -> None:
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
