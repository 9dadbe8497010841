"""Characters that make a text look like another are refused, and names and comments in any script are accepted."""

import pytest

from postern.foundation.rest.text import disguise_in

DISGUISES = [
    *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\u200e", "\u200f", "\u061c",
    "\u200b", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u2028", "\u2029", "\u0085", "\x00", "\x1b", "\x7f", "\x9b",
    "\u3164", "\u115f", "\uffa0", "\u034f", "\U000e0041",
]  # fmt: skip
HONEST = [
    "Ann", "张伟", "Zoë", "José (ops)", "علي", "٢٠٢٦", "עברית", "देवनागरी", "ひらがな", "한국어", "web-1.example", "a\u00a0b", "❤️", "😀", "\u0600",
]  # fmt: skip


@pytest.mark.parametrize("character", DISGUISES, ids=lambda character: f"U+{ord(character):04X}")
def test_disguising_character_is_detected_in_names_and_comments(character: str) -> None:
    for lines in (False, True):
        assert disguise_in(f"adm{character}in", lines=lines) == character


@pytest.mark.parametrize("text", HONEST)
def test_names_in_any_script_are_accepted(text: str) -> None:
    assert disguise_in(text, lines=False) is None


def test_comments_may_have_line_breaks_and_joiners_and_names_may_not() -> None:
    text = "first\r\n\tsecond می\u200cخواهم 👨\u200d👩"
    assert disguise_in(text, lines=True) is None
    assert disguise_in("a\nb", lines=False) == "\n"
    assert disguise_in("می\u200cخواهم", lines=False) == "\u200c"
