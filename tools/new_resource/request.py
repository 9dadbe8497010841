"""What is asked for: the app, the names of the resource, its fields."""

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

USAGE: Final = """\
usage: make new-resource app=assets name=site zh=站点 fields="name:text city:text:城市 assets:many(assets.Asset)"

app     an app that has a folder for each resource
name    the resource in the singular, lower case (data_center); plural=… where it is irregular
zh      the Chinese word for it
fields  name:kind[:Chinese]; kind is text, number, flag or many(app.Model). The Chinese may be left out where the catalogue has the word.
        Without fields: name:text. The first field is the name of an object and unique in its organization. Every resource has a comment.
what    one English sentence that says what it is, for the empty list; what_zh the same in Chinese
"""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_FIELD: Final = re.compile(
    r"(?P<name>[a-z][a-z0-9_]*):(?:(?P<kind>text|number|flag)|many\((?P<model>\w+\.\w+)\))(?::(?P<zh>\S+))?"
)
#: Columns that every resource of an organization has already.
_GIVEN: Final = frozenset({"id", "org_id", "org_name", "comment", "date_created", "date_updated", "created_by"})
#: First part of the paths of an app, where it has another name.
_PREFIXES: Final = {"vault": "assets"}
#: Names that a model, a list's query or Python has for something else.
_TAKEN: Final = frozenset(
    {
        "all",
        "check",
        "clean",
        "delete",
        "display",
        "draw",
        "errors",
        "fields",
        "format",
        "full_clean",
        "ids",
        "limit",
        "objects",
    }
    | {"offset", "oid", "order", "pk", "save", "search", "spm", "template"}
)


class BadRequest(Exception):
    """The command cannot be carried out; the text says why."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column, or a list of objects when `model` (`assets.Asset`) is given."""

    name: str
    kind: str
    model: str = ""
    chinese: str = ""

    @property
    def words(self) -> str:
        return sentence(self.name)


@dataclass(frozen=True, slots=True)
class Request:
    """A resource to be written. `name` and `plural` are in snake case."""

    app: str
    name: str
    plural: str
    chinese: str
    what: str
    what_chinese: str
    fields: Sequence[Field] = field(default_factory=tuple)

    @property
    def model(self) -> str:
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def path(self) -> str:
        """Path of the list below /api/v1/, without the last slash."""
        return f"{_PREFIXES.get(self.app, self.app)}/{self.plural.replace('_', '-')}"

    @property
    def columns(self) -> list[Field]:
        return [field for field in self.fields if not field.model]

    @property
    def lists(self) -> list[Field]:
        return [field for field in self.fields if field.model]

    @property
    def title(self) -> Field:
        """The field that names an object."""
        return self.fields[0]


def sentence(name: str) -> str:
    """`data_center` → `Data center`."""
    return name.replace("_", " ").capitalize()


def parse(arguments: Mapping[str, str]) -> Request:
    """The request of a command line. Raises BadRequest."""
    unknown = arguments.keys() - {"app", "name", "plural", "zh", "fields", "what", "what_zh"}
    missing = [name for name in ("app", "name", "zh") if not arguments.get(name)]
    if unknown or missing:
        raise BadRequest(f"missing: {', '.join(missing)}" if missing else f"unknown: {', '.join(sorted(unknown))}")
    app, name, chinese = arguments["app"], arguments["name"], arguments["zh"]
    plural = arguments.get("plural") or _plural(name)
    if not re.search("[\u4e00-\u9fff]", chinese):
        raise BadRequest(f"zh={chinese} has no Chinese character")
    fields = [_field(text) for text in (arguments.get("fields") or "name:text").split()]
    fields = [one for one in fields if one.name != "comment"]
    names = [one.name for one in fields]
    _check_names([app, name, plural, *names])
    if name == plural:
        raise BadRequest(f"{name!r} is its own plural: say plural=…")
    if not fields or fields[0].kind != "text":
        raise BadRequest("the first field names an object: it is a text")
    if len(set(names)) != len(names) or _GIVEN & set(names):
        raise BadRequest(f"a field is there twice, or every resource has it: {' '.join(names)}")
    words = sentence(name).lower()
    article = "An" if words[0] in "aeiou" else "A"
    return Request(
        app=app,
        name=name,
        plural=plural,
        chinese=chinese,
        what=arguments.get("what") or f"{article} {words} belongs to one organization.",
        what_chinese=arguments.get("what_zh") or f"{chinese}属于一个组织。",
        fields=tuple(fields),
    )


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            raise BadRequest(f"{name!r} is no name in snake case, such as data_center")
        if keyword.iskeyword(name) or name in _TAKEN:
            raise BadRequest(f"{name!r} means something else already: choose another name")


def _field(text: str) -> Field:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise BadRequest(f"cannot read the field {text!r}: name:text, name:number, name:flag or name:many(app.Model)")
    return Field(match["name"], match["kind"] or "many", match["model"] or "", match["zh"] or "")


def _plural(name: str) -> str:
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"
