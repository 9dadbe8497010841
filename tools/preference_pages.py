"""The reference page of the settings that administrators change, from their declarations."""

from typing import Final, Literal

from django.utils import translation
from product_setup import set_up

from postern.apps.preferences import registry
from postern.apps.preferences.declarations.preference import EFFECT_LABELS, Category, Kind, Preference

Language = Literal["en", "zh"]

_TEXTS: Final = {
    "en": {
        "title": "System settings",
        "introduction": (
            "Settings that super administrators change on the page *System settings* or with "
            "`/api/v1/settings/setting/?category=…`. The variable `POSTERN_SET_` and the name of a setting fixes its "
            "value, for example `POSTERN_SET_SECURITY_MAX_IDLE_TIME=15`."
        ),
        "header": "| setting | meaning | values | default | takes effect |",
        "public": "Public: readable before sign-in.",
        "secret": "Secret: stored encrypted, never shown.",
        "dormant": "Nothing of this version obeys it.",
        "boolean": "yes, no",
        "characters": "at most {} characters",
        "order": "some of, with commas: ",
        "address": "http or https address",
        "address of the console": "address of the console",
        "yes": "yes",
        "no": "no",
    },
    "zh": {
        "title": "系统设置",
        "introduction": (
            "超级管理员在“系统设置”页面或通过 `/api/v1/settings/setting/?category=…` 修改的设置。变量 `POSTERN_SET_` "
            "加设置名可固定其值，例如 `POSTERN_SET_SECURITY_MAX_IDLE_TIME=15`。"
        ),
        "header": "| 设置 | 含义 | 取值 | 默认值 | 生效时间 |",
        "public": "公开：登录前可读。",
        "secret": "机密：加密存储，从不显示。",
        "dormant": "此版本中没有功能使用它。",
        "boolean": "是、否",
        "characters": "最多 {} 个字符",
        "order": "以逗号分隔，取自：",
        "address": "http 或 https 地址",
        "address of the console": "控制台的地址",
        "yes": "是",
        "no": "否",
    },
}


def preferences_page(language: Language) -> str:
    """The page in one language."""
    set_up()
    with translation.override("zh-hans" if language == "zh" else "en"):
        return _page(language)


def _page(language: Language) -> str:
    words = _TEXTS[language]
    origin = f"<!-- Written by `make gen` from `{registry.__name__}`; do not edit. -->"
    sections = [
        "\n\n".join(
            [f"## `{category}`", "\n".join([words["header"], "|---|---|---|---|---|", *_rows(category, language)])]
        )
        for category in Category
    ]
    return "\n\n".join([f"# {words['title']}", origin, words["introduction"], *sections]) + "\n"


def _rows(category: Category, language: Language) -> list[str]:
    return [
        " | ".join(
            [
                f"| `{setting.name}`",
                _meaning(setting, language),
                _values(setting, language),
                _default(setting, language),
                f"{EFFECT_LABELS[setting.effect]} |",
            ]
        )
        for setting in registry.of_category(category)
    ]


def _meaning(setting: Preference, language: Language) -> str:
    words, stop = _TEXTS[language], "。" if language == "zh" else "."
    sentences = [str(setting.label) + stop]
    if setting.help_text:
        sentences.append(str(setting.help_text) + stop)
    marks = {"public": setting.is_public, "secret": setting.is_secret, "dormant": setting.is_dormant}
    sentences.extend(words[name] for name, applies in marks.items() if applies)
    return ("" if language == "zh" else " ").join(sentences)


def _values(setting: Preference, language: Language) -> str:
    words = _TEXTS[language]
    if setting.kind is Kind.BOOLEAN:
        return words["boolean"]
    if setting.kind is Kind.INTEGER:
        return f"{setting.min_value}–{setting.max_value}"
    if setting.kind is Kind.CHOICE:
        return ", ".join(f"`{value}` {label!s}".rstrip() for value, label in setting.choices)
    if setting.kind is Kind.ORDER:
        return words["order"] + ", ".join(f"`{value}`" for value, _label in setting.choices)
    if setting.kind is Kind.URL:
        return words["address"]
    return words["characters"].format(setting.max_length)


def _default(setting: Preference, language: Language) -> str:
    words = _TEXTS[language]
    if setting.derived is not None:
        return words["address of the console"]
    if isinstance(setting.default, bool):
        return words["yes" if setting.default else "no"]
    return "—" if setting.default in {None, ""} else f"`{str(setting.default).strip()}`"
