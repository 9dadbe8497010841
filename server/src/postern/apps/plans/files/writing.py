"""Writes a file that says what an organization has."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from postern.apps.plans.files.items import reads_as_text
from postern.apps.plans.files.shapes import KINDS, NODES, RULE_DEFAULTS, RULES, VERSION, Holds, Kind

#: Texts that need no quotes. All others get them, which is always right.
_PLAIN: Final = re.compile(r"[A-Za-z_\u4e00-\u9fff/][\w./@-]*(?: [\w./@-]+)*")
#: Words that other versions of YAML take for switches.
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off"})
_HEAD: Final = """\
# Access plan of Postern: groups, nodes, permissions and command filters of one organization.
#   postern plan FILE    shows what would change
#   postern apply FILE   changes it, all or nothing
# What this file does not name is kept, unless “prune” says otherwise for its kind.
# People, assets, applications and system users are only referred to. There are no secrets in here.
"""

Values = Mapping[str, Any]


def write_file(organization: str, state: Mapping[str, Mapping[str, Values]]) -> str:
    """The file, in a fixed order. `state`: kind → name → the values of each object."""
    lines = [f"version: {VERSION}", f"organization: {_quoted(organization)}"]
    for kind in KINDS:
        lines += ["", f"# {kind.about}", *_list_of(kind, state.get(kind.name, {}))]
    return _HEAD + "\n" + "\n".join(lines) + "\n"


def written(instant: datetime) -> str:
    """An instant as files have it."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _list_of(kind: Kind, entries: Mapping[str, Values]) -> Iterator[str]:
    if not entries:
        yield f"{kind.name}: []"
        return
    yield f"{kind.name}:"
    for name in sorted(entries):
        if kind is NODES:
            yield f"  - {_quoted(name)}"
        else:
            yield from _entry(kind, {"name": name, **entries[name]}, "  ")


def _entry(kind: Kind, values: Values, indent: str) -> Iterator[str]:
    start = f"{indent}- "
    for field in kind.fields:
        value = values.get(field.name)
        if value is None or _is_usual(kind, field.name, value):
            continue
        if field.holds is Holds.RULES:
            yield f"{start}rules:" if value else f"{start}rules: []"
            for rule in value:
                yield from _entry(RULES, rule, f"{indent}    ")
        elif isinstance(value, tuple):
            yield f"{start}{field.name}:" if value else f"{start}{field.name}: []"
            yield from (f"{indent}    - {_quoted(element)}" for element in value)
        else:
            yield f"{start}{field.name}: {_scalar(value)}"
        start = f"{indent}  "


def _is_usual(kind: Kind, name: str, value: Any) -> bool:
    """Whether a rule has it anyway: rules are compared whole, so that the file need not say it."""
    return kind is RULES and name in RULE_DEFAULTS and RULE_DEFAULTS[name] == value


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return written(value)
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    if _PLAIN.fullmatch(text) and reads_as_text(text) and text.lower() not in _WORDS:
        return text
    # JSON's escapes are YAML's, but for characters that YAML does not allow as they are.
    return "".join(
        character
        if character.isprintable()
        else f"\\u{ord(character):04x}"
        if ord(character) < 0x10000
        else f"\\U{ord(character):08x}"
        for character in json.dumps(text, ensure_ascii=False)
    )
