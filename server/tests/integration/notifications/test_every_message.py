"""Every declared message in each language and form: whole, translated, and harmless whatever its names contain."""

import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from enum import Enum
from html.parser import HTMLParser
from importlib import import_module
from typing import Any, Final

import pytest
from django.utils import translation
from rest_framework.test import APIClient

from postern.apps.notifications import declarations
from postern.apps.notifications.declarations.catalogue import MESSAGE_TYPES, TEXTS
from postern.apps.notifications.declarations.declaration import Audience, MessageText, Notice
from postern.apps.notifications.sanitising import ALLOWED_TAGS
from postern.apps.preferences.actions import change_settings
from postern.entrypoints.development.message_forms import LANGUAGES, MessageForms, forms_of
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.mail_server.letter import Correspondent, Letter, sealed
from postern.integrations.web_apis.messages import MOST_BYTES
from postern.kernel import clock
from postern.kernel.visible_text import is_disguise

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

SITE: Final = "https://postern.example.com"
PREFIX: Final = "[Operations]"
CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
#: Names that have done harm in products that send messages.
HOSTILE: Final = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</p></body><iframe src=//evil.test>",
    "li\r\nBcc: everybody@evil.test\r\n\r\n<b>hello</b>",
    "li\u2028second line\u0085third\x0bfourth\x00",
    "\u202egnp.exe\u2066\u200b",
    "n" * 10_000,
    "\u202e" * 10_000,
    "&lt;script&gt;&amp;",
    "{link} {0} %(user)s %s %",
    '<at user_id="all">everybody</at>',
    '<a href="https://evil.test">click</a> [click](https://evil.test)',
    '\\"}],"type":"audit.x"',
)
EVERY: Final = [
    pytest.param(text, number, id=f"{text.message_type.name}-{text.write.__name__}-{number}")
    for text in TEXTS
    for number in range(len(text.examples))
]
every_text = pytest.mark.parametrize(("text", "number"), EVERY)


@pytest.fixture(autouse=True)
def preferences_of_mail(db: None) -> None:
    change_settings(actor=SYSTEM, changes={"SITE_URL": SITE, "EMAIL_SUBJECT_PREFIX": PREFIX})


class Reader(HTMLParser):
    """Reads HTML as a browser does: its tags, the addresses of its links, and its visible text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        self.is_balanced = not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _value in attrs}
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]
        if tag not in {"br", "hr", "meta"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def in_every_language(text: MessageText[Any], number: int) -> dict[str, MessageForms]:
    notice = text.example_notices()[number]
    return {language: forms_of(notice, language) for language in LANGUAGES}


def parts_of(forms: MessageForms) -> Iterator[tuple[str, str]]:
    """Each part of each form that the message has, as text."""
    if forms.site is not None:
        yield "site subject", forms.site.subject
        yield "site text", Reader(forms.site.html).text
    if forms.mail is not None:
        yield "mail subject", forms.mail.subject
        yield "mail HTML", Reader(forms.mail.html).text
        yield "mail text", forms.mail.text
    if forms.chat is not None:
        yield "chat", forms.chat
    if forms.webhook is not None:
        data = json.loads(forms.webhook)["data"]
        yield "webhook subject", data["subject"]
        yield "webhook text", data["text"]


def test_every_type_of_the_contract_is_declared_and_offered(as_admin: APIClient) -> None:
    rows = as_admin.get("/api/v1/notifications/system-msg-subscription/", headers={"Accept-Language": "en"}).json()
    offered = {(row["category"], child["message_type"]) for row in rows for child in row["children"]}
    assert offered >= {
        ("terminal", "CommandAlertMessage"),
        ("terminal", "CommandExecutionAlert"),
        ("operations", "ServerPerformanceMessage"),
    }
    assert {name for _category, name in offered} == set(MESSAGE_TYPES)
    assert {row["category_label"] for row in rows} == {"Security", "Sessions", "Operations"}


def test_no_declaration_is_left_out_of_the_catalogue() -> None:
    modules = [
        import_module(f"{declarations.__name__}.{one.name}") for one in pkgutil.iter_modules(declarations.__path__)
    ]
    declared = [value for module in modules for value in vars(module).values() if isinstance(value, MessageText)]
    assert {id(text) for text in declared} == {id(text) for text in TEXTS}
    assert len(TEXTS) == len({id(text) for text in TEXTS}) >= 20
    assert all(text.examples for text in TEXTS)


@every_text
def test_message_has_every_form_of_its_audience(text: MessageText[Any], number: int) -> None:
    has = {
        Audience.SUBSCRIBERS: {"site", "mail", "chat", "webhook"},
        Audience.PERSON: {"site", "mail", "chat"},
        Audience.MAIL: {"mail"},
    }
    for forms in in_every_language(text, number).values():
        assert {one.name for one in fields(forms) if getattr(forms, one.name) is not None} == has[
            text.message_type.audience
        ]


@every_text
def test_every_part_is_translated_and_no_part_is_empty(text: MessageText[Any], number: int) -> None:
    by_language = {language: dict(parts_of(forms)) for language, forms in in_every_language(text, number).items()}
    english, chinese = by_language["en"], by_language["zh-hans"]
    assert english.keys() == chinese.keys()
    for part, words in english.items():
        for found in (words, chinese[part]):
            assert found.strip()
            assert not re.search(r"%\(|\{\w*\}|None|⟨U\+", found), found
        assert not CHINESE.search(words), words
        assert CHINESE.search(chinese[part]), chinese[part]
    labels = []
    for language in LANGUAGES:
        with translation.override(language):
            labels += [str(text.message_type.label), str(text.message_type.category_label)]
    assert all(labels)
    assert len(set(labels)) == 4


@every_text
def test_html_is_whole_and_its_links_are_absolute_addresses_of_the_console(text: MessageText[Any], number: int) -> None:
    for forms in in_every_language(text, number).values():
        assert forms.mail is not None
        mail = Reader(forms.mail.html)
        assert mail.is_balanced
        assert mail.links, "the foot of each letter leads to the console"
        site = Reader(forms.site.html) if forms.site is not None else None
        for link in (*mail.links, *(site.links if site is not None else ())):
            assert link == SITE or link.startswith(f"{SITE}/ui/"), link
        if site is not None:
            assert site.is_balanced
            assert set(site.tags) <= ALLOWED_TAGS
            assert all(link in forms.mail.text for link in site.links), "plain text shows where a link leads"


@every_text
def test_prefix_of_the_settings_is_before_the_subject_of_each_mail_and_nowhere_else(
    text: MessageText[Any], number: int
) -> None:
    for forms in in_every_language(text, number).values():
        others = {part: words for part, words in parts_of(forms) if not part.startswith("mail")}
        assert forms.mail is not None
        assert forms.mail.subject.startswith(f"{PREFIX} ")
        assert len(forms.mail.subject) > len(PREFIX) + 5
        assert not any(PREFIX in words for words in others.values())


def test_changed_prefix_counts_at_once() -> None:
    change_settings(actor=SYSTEM, changes={"EMAIL_SUBJECT_PREFIX": "Night shift: "})
    forms = forms_of(TEXTS[0].example_notices()[0], "en")
    assert forms.mail is not None
    assert forms.mail.subject.startswith("Night shift: The host key of shop-1")


def hostile_notices(text: MessageText[Any], number: int) -> Iterator[Notice]:
    """The message with each hostile value in each text among its facts."""
    facts = text.examples[number]
    names = [
        one.name
        for one in fields(facts)
        if isinstance(getattr(facts, one.name), str) and not isinstance(getattr(facts, one.name), Enum)
    ]
    for value in HOSTILE:
        for name in names:
            yield text.about(replace(facts, **{name: value}))
        yield text.about(replace(facts, **dict.fromkeys(names, value)))


def disguises_in(words: str, *, lines: bool) -> list[str]:
    return [character for character in words if is_disguise(character, lines=lines)]


@every_text
def test_hostile_names_are_harmless_in_every_form(text: MessageText[Any], number: int) -> None:
    usual = {language: forms_of(text.example_notices()[number], language) for language in LANGUAGES}
    for notice in hostile_notices(text, number):
        for language in LANGUAGES:
            forms = forms_of(notice, language)
            _check_texts(forms)
            _check_html(forms, usual[language])
            _check_letter(forms)
            _check_chat(forms)
            _check_webhook(forms)


def _check_texts(forms: MessageForms) -> None:
    for part, words in parts_of(forms):
        is_subject = part.endswith("subject")
        assert words.strip(), part
        assert not disguises_in(words, lines=not is_subject), (part, words)
        assert len(words) <= (300 if is_subject else 10_000), (part, len(words))
    assert forms.site is None or len(forms.site.subject) <= 256


def _check_html(forms: MessageForms, usual: MessageForms) -> None:
    """No name adds an element, an attribute or a link."""
    for html, usual_html in (
        (forms.site and forms.site.html, usual.site and usual.site.html),
        (forms.mail and forms.mail.html, usual.mail and usual.mail.html),
    ):
        if html is not None and usual_html is not None:
            read, expected = Reader(html), Reader(usual_html)
            assert read.is_balanced
            assert read.tags == expected.tags, html
            assert read.attributes == expected.attributes
            assert len(read.links) == len(expected.links)
            assert all(link == SITE or link.startswith(f"{SITE}/ui/") for link in read.links)


def _check_letter(forms: MessageForms) -> None:
    assert forms.mail is not None
    envelope = sealed(
        Letter(
            sender=Correspondent("postern@example.com"),
            recipient=Correspondent("li@example.com"),
            subject=forms.mail.subject,
            text=forms.mail.text,
            html=forms.mail.html,
            message_id="1@example.com",
            date=clock.now(),
        )
    )
    head = envelope.content.partition(b"\r\n\r\n")[0]
    names = [line.partition(b":")[0] for line in head.split(b"\r\n") if not line.startswith((b" ", b"\t"))]
    assert sorted(names) == sorted(set(names))
    assert b"Bcc" not in names


def _check_chat(forms: MessageForms) -> None:
    if forms.chat is not None:
        assert len(forms.chat.encode()) <= MOST_BYTES
        assert not re.search(r"<[A-Za-z/!?]|\]\(", forms.chat), forms.chat
        assert forms.chat.endswith(SITE)


def _check_webhook(forms: MessageForms) -> None:
    if forms.webhook is not None:
        body = json.loads(forms.webhook)
        assert set(body) == {"type", "timestamp", "data"}
        assert set(body["data"]) == {"message_type", "subject", "text"}
        assert body["type"] == f"message.{body['data']['message_type']}"


def test_the_checks_see_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A declaration that puts a name into its HTML as it is fails the test above."""
    text: MessageText[Any] = next(one for one in TEXTS if one.message_type.name == "TerminalLostMessage")
    careless: Callable[[object, int], object] = lambda value, _most: value  # noqa: E731 - what it replaces is a function
    monkeypatch.setattr("postern.apps.notifications.declarations.declaration._plain", careless)
    with pytest.raises(AssertionError):
        test_hostile_names_are_harmless_in_every_form(text, 0)
