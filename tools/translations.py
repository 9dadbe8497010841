"""Translations of the server's texts, without the gettext tools.

    python tools/translations.py missing     print the texts without a Chinese translation, ready to paste into the .po
    python tools/translations.py compile     write django.mo from django.po (run it after every change; both are committed)

Source texts are English, in calls of `gettext` (usually `_`), `gettext_lazy`, `ngettext` …; the Chinese is in
`server/src/postern/locale/zh_Hans/LC_MESSAGES/django.po`. A server test fails when a text has no translation, when the
placeholders differ, when an entry is unused, or the .mo was not compiled from the present .po.
"""

import ast
import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).resolve().parents[1] / "server" / "src" / "postern"
CATALOGUE: Final = SOURCE / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"

_ONE: Final = frozenset({"_", "gettext", "gettext_lazy", "gettext_noop"})
_PLURAL: Final = frozenset({"ngettext", "ngettext_lazy"})
_MO_MAGIC: Final = 0x950412DE
_PLACEHOLDER: Final = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")


@dataclass(frozen=True, slots=True)
class Text:
    """A text in the source; `plural` is set when it counts something."""

    single: str
    plural: str | None = None


@dataclass(slots=True)
class Catalogue:
    """Translations by source text. The entry of the empty text is the header."""

    header: str = ""
    translations: dict[Text, str] = field(default_factory=dict)


class CatalogueError(Exception):
    """The .po file or a call in the source cannot be parsed."""


def texts_of_source(root: Path = SOURCE) -> dict[Text, str]:
    """Every translatable text below `root`, with the location of its first use."""
    places: dict[Text, str] = {}
    for path in sorted(root.rglob("*.py")):
        for text, line in _texts_of(ast.parse(path.read_text(encoding="utf-8")), path):
            places.setdefault(text, f"{path.relative_to(root)}:{line}")
    return places


def _texts_of(tree: ast.AST, path: Path) -> Iterator[tuple[Text, int]]:
    names = _imported_names(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        function = names.get(node.func.id)
        if function is None:
            continue
        wanted = 2 if function in _PLURAL else 1
        literals = [
            arg.value for arg in node.args[:wanted] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        ]
        if len(literals) != wanted:
            raise CatalogueError(f"{path}:{node.lineno}: {node.func.id}() needs plain text, not an expression")
        yield Text(*literals), node.lineno


def _imported_names(tree: ast.AST) -> dict[str, str]:
    """Local name → gettext function, from `from django.utils.translation import …`."""
    functions: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
            functions.update(
                {alias.asname or alias.name: alias.name for alias in node.names if alias.name in _ONE | _PLURAL}
            )
    return functions


def read_catalogue(text: str) -> Catalogue:
    """Parse the text of a .po file: plain entries, plural entries with one form (Chinese has one), comments."""
    catalogue = Catalogue()
    for block in re.split(r"\n\s*\n", text.strip()):
        values = _read_block(block)
        if "msgid" not in values:
            continue
        translation = values.get("msgstr", values.get("msgstr[0]", ""))
        if not values["msgid"]:
            catalogue.header = translation
            continue
        key = Text(values["msgid"], values.get("msgid_plural"))
        if key in catalogue.translations:
            raise CatalogueError(f"twice in the catalogue: {key.single!r}")
        catalogue.translations[key] = translation
    return catalogue


def _read_block(block: str) -> dict[str, str]:
    values: dict[str, str] = {}
    keyword = ""
    for raw in block.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r'(?:(msgid|msgid_plural|msgstr|msgstr\[\d\])\s+)?(".*")', line)
        if match is None or not (match[1] or keyword):
            raise CatalogueError(f"cannot read: {line}")
        keyword = match[1] or keyword
        values[keyword] = values.get(keyword, "") + str(ast.literal_eval(match[2]))
    return values


def write_binary(catalogue: Catalogue) -> bytes:
    """The .mo file: sorted by source text, as `gettext` requires (GNU gettext manual, "MO files")."""
    pairs = [(b"", catalogue.header.encode())]
    for text, translation in catalogue.translations.items():
        key = text.single if text.plural is None else f"{text.single}\0{text.plural}"
        pairs.append((key.encode(), translation.encode()))
    pairs.sort()
    start = 28 + 16 * len(pairs)
    table: list[tuple[int, int]] = []
    blob = b""
    for side in (0, 1):
        for pair in pairs:
            table.append((len(pair[side]), start + len(blob)))
            blob += pair[side] + b"\0"
    head = struct.pack("<7I", _MO_MAGIC, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, start)
    return head + b"".join(struct.pack("<2I", *entry) for entry in table) + blob


def problems(texts: dict[Text, str], catalogue: Catalogue) -> list[str]:
    """Problems of a catalogue, one line each; empty when there are none."""
    messages = [
        f"{place}: not translated: {text.single!r}"
        for text, place in texts.items()
        if not catalogue.translations.get(text)
    ]
    messages += [f"used nowhere: {text.single!r}" for text in catalogue.translations if text not in texts]
    messages += [
        f"placeholders differ: {text.single!r}"
        for text, translation in catalogue.translations.items()
        if translation and placeholders(text.plural or text.single) != placeholders(translation)
    ]
    return messages


def placeholders(text: str) -> list[str]:
    """The placeholders of a text, sorted."""
    return sorted(_PLACEHOLDER.findall(text))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _show_missing() -> None:
    catalogue = read_catalogue(CATALOGUE.read_text(encoding="utf-8"))
    for text, place in texts_of_source().items():
        if catalogue.translations.get(text):
            continue
        sys.stdout.write(f"#: {place}\nmsgid {_quoted(text.single)}\n")
        if text.plural is not None:
            sys.stdout.write(f"msgid_plural {_quoted(text.plural)}\n")
        sys.stdout.write('msgstr[0] ""\n\n' if text.plural is not None else 'msgstr ""\n\n')


def main(arguments: list[str]) -> int:
    """Run a command from the module's description; 2 when it is unknown."""
    match arguments:
        case ["missing"]:
            _show_missing()
        case ["compile"]:
            catalogue = read_catalogue(CATALOGUE.read_text(encoding="utf-8"))
            CATALOGUE.with_suffix(".mo").write_bytes(write_binary(catalogue))
        case _:
            sys.stderr.write(__doc__ or "")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
