"""Characters that a reader does not see are shown as their codes, whatever a host sends."""

import sys

from postern.kernel import visible_text as module
from postern.kernel.log import printable
from postern.kernel.visible_text import is_disguise, visible_text


def test_every_character_that_hides_is_shown_and_no_other_is_changed() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        assert (visible_text(character) == character) is not is_disguise(character, lines=True), hex(code)
        assert (printable(character) == character) is (character == "\t" or not is_disguise(character, lines=False))


def test_what_a_host_sends_does_not_fill_the_memory() -> None:
    visible_text("".join(map(chr, range(0x10000, sys.maxunicode))))
    assert len(module._CODES) <= 0x10000


def test_text_that_reverses_what_follows_is_told() -> None:
    assert visible_text("rm \u202egnp.exe\n") == "rm ⟨U+202E⟩gnp.exe\n"
    assert printable("a\u202eb\nc\u2028d\xad") == "a\\u202eb\\x0ac\\u2028d\\xad"
