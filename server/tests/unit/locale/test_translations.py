"""Every text of the server has a Chinese translation, and the compiled catalogue is current."""

import gettext
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
_spec = importlib.util.spec_from_file_location("translations", ROOT / "tools" / "translations.py")
assert _spec is not None
assert _spec.loader is not None
translations = importlib.util.module_from_spec(_spec)
sys.modules["translations"] = translations
_spec.loader.exec_module(translations)


def test_every_text_is_translated_and_every_entry_is_used():
    catalogue = translations.read_catalogue(translations.CATALOGUE.read_text(encoding="utf-8"))
    assert translations.problems(translations.texts_of_source(), catalogue) == []


def test_compiled_catalogue_is_current():
    catalogue = translations.read_catalogue(translations.CATALOGUE.read_text(encoding="utf-8"))
    compiled = translations.CATALOGUE.with_suffix(".mo").read_bytes()
    assert compiled == translations.write_binary(catalogue), "run: python tools/translations.py compile"


def test_compiled_catalogue_is_readable_by_gettext():
    with translations.CATALOGUE.with_suffix(".mo").open("rb") as file:
        catalogue = gettext.GNUTranslations(file)
    assert catalogue.gettext("Username") == "用户名"
    text = "You can try %(number)d more time; then the account is locked for %(minutes)d minutes."
    plural = "You can try %(number)d more times; then the account is locked for %(minutes)d minutes."
    assert catalogue.ngettext(text, plural, 3).startswith("你还可以尝试")


def test_problems_are_reported(tmp_path: Path):
    (tmp_path / "views.py").write_text(
        "from django.utils.translation import gettext as _\nA = _('Hello %(name)s')\nB = _('Bye')\nC = _('Kept')\n"
    )
    texts = translations.texts_of_source(tmp_path)
    catalogue = translations.read_catalogue(
        'msgid "Hello %(name)s"\nmsgstr "您好"\n\nmsgid "Kept"\nmsgstr "保留"\n\nmsgid "Gone"\nmsgstr "没了"\n'
    )
    assert translations.problems(texts, catalogue) == [
        "views.py:3: not translated: 'Bye'",
        "used nowhere: 'Gone'",
        "placeholders differ: 'Hello %(name)s'",
    ]


def test_texts_built_by_expressions_are_refused(tmp_path: Path):
    (tmp_path / "views.py").write_text(
        "from django.utils.translation import gettext as _\ndef f(name): return _(f'Hello {name}')\n"
    )
    with pytest.raises(translations.CatalogueError):
        translations.texts_of_source(tmp_path)
