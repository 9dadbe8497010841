"""Sentences that are stored by code: each has its words in every language, and is readable whatever a row contains."""

import re
import string
from typing import Any

import pytest
from django.conf import settings
from django.utils import translation

from postern.foundation import phrases
from postern.foundation.phrases import Phrase, said, said_in_all, sentence_from, stored, why
from postern.kernel.sentences import Sentence, joined
from postern.proxies.core.texts import Text

LANGUAGES = [code for code, _name in settings.LANGUAGES]
CHINESE = re.compile("[\u4e00-\u9fff]")
DECLARED = sorted(phrases.phrases(), key=lambda phrase: phrase.code)


def placeholders(words: str) -> set[str]:
    return set(re.findall(r"%\((\w+)\)", words))


@pytest.mark.parametrize("phrase", DECLARED, ids=lambda phrase: phrase.code)
def test_every_code_of_the_control_plane_has_its_words_in_both_languages(phrase: Phrase) -> None:
    words = {}
    for language in LANGUAGES:
        with translation.override(language):
            words[language] = str(phrase.words)
    without_values = {language: re.sub(r"%\(\w+\)[sd]", "", text) for language, text in words.items()}
    assert placeholders(words["zh-hans"]) == placeholders(words["en"])
    # Only a single word may be the same in both languages: shell.
    assert CHINESE.search(without_values["zh-hans"]) or " " not in without_values["en"].strip(" :")
    assert not CHINESE.search(without_values["en"])


@pytest.mark.parametrize("text", list(Text), ids=lambda text: text.name)
def test_every_text_of_the_access_plane_is_said_again_in_both_languages(text: Text) -> None:
    names = {name for _, name, _, _ in string.Formatter().parse(text.value[1]) if name}
    sentence = text.sentence("zh-hans", **dict.fromkeys(names, "x"))
    assert said(sentence_from(stored(sentence)), "en") == text.say("en", **dict.fromkeys(names, "x")).strip()
    assert said(sentence_from(stored(sentence)), "zh-hans") == sentence.text.strip()


def test_declared_codes_are_many_and_a_second_phrase_of_one_code_is_refused() -> None:
    assert {"jobs.exit_status", "access.no_grant", "vault.secret_gone"} <= {phrase.code for phrase in DECLARED}
    with pytest.raises(ValueError, match="exit_status"):
        Phrase("jobs.exit_status", DECLARED[0].words)


def test_sentences_inside_sentences_are_said_in_the_language_of_the_reader() -> None:
    inner = Text.CONNECT_REFUSED.sentence("zh-hans", host="h", port=22)
    outer = Text.GATEWAY_FAILED.sentence("zh-hans", gateway="g", message=joined(" ", [inner, Sentence("raw")]))
    english = said(sentence_from(stored(outer)), "en")
    assert Text.CONNECT_REFUSED.say("en", host="h", port=22) in english
    assert english.endswith("raw")
    assert not CHINESE.search(english)
    assert said_in_all(outer).count("raw") == 2


@pytest.mark.parametrize(
    "value",
    [
        {"text": "old words", "code": "of.another.version", "values": {"a": 1}},
        {"text": "old words", "code": "jobs.exit_status", "values": {}},
        {"text": "old words", "code": "jobs.exit_status", "values": {"status": "three"}},
        {"text": "old words", "code": "proxy.connect_refused", "values": {}},
        {"text": "old words"},
    ],
)
def test_unknown_codes_and_values_are_shown_as_they_were_said_first(value: Any) -> None:
    assert said(sentence_from(value), "en") == said(sentence_from(value), "zh-hans") == "old words"


@pytest.mark.parametrize("value", [None, "", [], 7, "text", {"code": 7}, {"text": None}])
def test_rows_without_a_sentence_show_the_text_of_older_versions(value: Any) -> None:
    assert why(value, "Text of an older version.") == "Text of an older version."


def test_values_are_never_read_as_placeholders() -> None:
    hostile = "%(status)s {host} {0.__class__} %s %"
    sentence = Text.NO_SHELL.sentence("zh-hans", host=hostile, shown=hostile)
    assert said(sentence_from(stored(sentence)), "en") == Text.NO_SHELL.say("en", host=hostile, shown=hostile)


def test_what_a_host_answers_is_cut_before_it_is_stored() -> None:
    value = stored(Text.NO_SHELL.sentence("en", host="h", shown="x" * 100_000))
    assert len(str(value)) < 5_000
    nested = Sentence("deep", "joined", {"0": Sentence("x")})
    for _ in range(50):
        nested = Sentence("deep", "joined", {"0": nested})
    assert said(sentence_from(stored(nested)), "en") == "deep"
