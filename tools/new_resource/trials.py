"""The tests' part of a resource: its declaration, from which the tables of the tests are composed."""

from collections.abc import Sequence

from new_resource.changes import Changes
from new_resource.request import Field, Request, sentence
from new_resource.targets import Target
from new_resource.templates import filled

#: Model → path of the resource whose object a settlement of the tests holds.
_SETTLED = {
    "assets.Asset": "assets/assets",
    "perms.AssetPermission": "perms/asset-permissions",
    "users.UserGroup": "users/groups",
    "vault.SystemUser": "assets/system-users",
}
_SAMPLES = {"text": '"some {words}"', "number": "7", "flag": "True"}


def write(changes: Changes, request: Request, targets: Sequence[Target]) -> None:
    more = {field.name: _sample(field) for field in request.columns if field is not request.title}
    settled = {
        target.field.name: f'"{_SETTLED[target.field.model]}"' for target in targets if target.field.model in _SETTLED
    }
    other = [target.field.name for target in targets if target.field.name not in settled]
    values = {
        "path": request.path,
        "Model": request.model,
        "Words": sentence(request.plural),
        "values": _literal({request.title.name: '"north"', **more}),
        "lists": (f"    lists={_literal(settled)},\n" if settled else "")
        + (f"    other_lists=({', '.join(repr(name) for name in other)},),\n" if other else ""),
    }
    changes.create(f"server/tests/declarations/{request.plural}.py", filled("tests/declaration.py", values))


def _sample(field: Field) -> str:
    return _SAMPLES[field.kind].format(words=field.words.lower())


def _literal(values: dict[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": {value}' for name, value in values.items()) + "}"
