"""Reference pages that are made from declarations, in both languages."""

import json
import os
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Literal

import django
from preference_pages import preferences_page

from postern.apps.audits import catalogue
from postern.apps.audits.catalogue import Event
from postern.apps.audits.categories import Category
from postern.foundation.configuration import reference
from postern.foundation.configuration.reference import SETTINGS_REFERENCE, Variable

#: English, Simplified Chinese: the page of the second is `<name>.zh.md`.
Language = Literal["en", "zh"]

_SETTINGS = {
    "en": (
        "# Settings",
        (
            "All settings are environment variables. Postern reads them once at start. "
            "An invalid value stops the start with one line that says what the value should be."
        ),
        "| variable | default | meaning |",
    ),
    "zh": (
        "# 设置",
        "所有设置都是环境变量。Postern 在启动时读取一次。值无效时不会启动，并用一行文字说明应当是什么值。",
        "| 变量 | 默认值 | 含义 |",
    ),
}
_EVENTS = {
    "en": (
        "# Audit events",
        "Every record of the audit log has one of these codes. Codes never change, so programs can rely on them.",
        "| code | meaning |",
    ),
    "zh": (
        "# 审计事件",
        "审计日志中的每条记录都有以下代码之一。代码不会改变，程序可以依赖它们。",
        "| 代码 | 含义 |",
    ),
}


def _settings(language: Language) -> str:
    title, introduction, header = _SETTINGS[language]
    rows = (
        f"| `{variable.name}` | {_default(variable, language)} "
        f"| {variable.chinese if language == 'zh' else variable.english} |"
        for variable in SETTINGS_REFERENCE
    )
    return _page(title, reference, introduction, "\n".join([header, "|---|---|---|", *rows]))


def _default(variable: Variable, language: Language) -> str:
    """A value as code; a default that is described in words as these words."""
    if not variable.default:
        return "—"
    if language == "zh" and variable.default_chinese:
        return variable.default_chinese
    return variable.default if " " in variable.default else f"`{variable.default}`"


def _audit_events(language: Language) -> str:
    title, introduction, header = _EVENTS[language]
    sections = [
        "\n\n".join(
            [f"## {_said(category, language)}", "\n".join([header, "|---|---|", *_rows_of(category, language)])]
        )
        for category in Category
    ]
    return _page(title, catalogue, introduction, *sections)


def _rows_of(category: Category, language: Language) -> Iterable[str]:
    events = sorted(event for event in Event if event.category is category)
    return (f"| `{event.value}` | {_said(event, language)} |" for event in events)


def _said(words: Category | Event, language: Language) -> str:
    return words.chinese if language == "zh" else words.english


def _page(title: str, declared_in: ModuleType, introduction: str, *sections: str) -> str:
    origin = f"<!-- Written by `make gen` from `{declared_in.__name__}`; do not edit. -->"
    return "\n\n".join([title, origin, introduction, *sections]) + "\n"


#: What makes each page, by its path.
def _plan_schema() -> str:
    # The shape of the file has the choices of the models, which only a set-up Django loads.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "postern.foundation.django_settings")
    django.setup()
    schema = import_module("postern.apps.plans.files.schema").schema
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    f"docs/reference/{name}{'.zh' if language == 'zh' else ''}.md": partial(make, language)
    for name, make in (("settings", _settings), ("preferences", preferences_page), ("audit-events", _audit_events))
    for language in ("en", "zh")
} | {"docs/reference/access-plan-1.schema.json": _plan_schema}
