"""The console's types for API requests and answers: `console/src/generated/api.ts`, generated from the OpenAPI
document.

The generator is a separate npm package (`console/tools/openapi`), installed only when types are generated. Checking
that they are current needs no generator: their first line has the hash of the schemas that they were generated from.
"""

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from product_setup import set_up
from steps import ROOT

TYPES: Final = ROOT / "console" / "src" / "generated" / "api.ts"
_PREFIX: Final = "/api/v1/"
_GENERATOR: Final = ROOT / "console" / "tools" / "openapi"


def is_current() -> bool:
    """Whether the types were generated from the current schemas."""
    return TYPES.exists() and TYPES.read_text(encoding="utf-8").startswith(_first_line(*_described()))


def make() -> None:
    """Generate the types. Needs the npm registry. Raises CalledProcessError."""
    schemas, lists = _described()
    if not (_GENERATOR / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--include=dev", "--no-audit", "--no-fund"], cwd=_GENERATOR, check=True)
    with tempfile.TemporaryDirectory() as folder:
        source, types = Path(folder, "openapi.json"), Path(folder, "api.ts")
        source.write_text(schemas, encoding="utf-8")
        command = [
            str(_GENERATOR / "node_modules/.bin/openapi-typescript"),
            str(source),
            "-o",
            str(types),
            "--immutable",
        ]
        subprocess.run(command, cwd=_GENERATOR, check=True)
        TYPES.parent.mkdir(parents=True, exist_ok=True)
        text = types.read_text(encoding="utf-8")
        TYPES.write_text(f"{_first_line(schemas, lists)}\n{text}\n{lists}", encoding="utf-8")
    subprocess.run([str(ROOT / "console/node_modules/.bin/oxfmt"), str(TYPES)], cwd=ROOT / "console", check=True)


def _first_line(schemas: str, lists: str) -> str:
    digest = hashlib.sha256(f"{schemas}{lists}".encode()).hexdigest()
    return f"// Made by `make gen` from the API's description; do not edit. Schemas: {digest}"


def _described() -> tuple[str, str]:
    """The schemas in a stable order, and the TypeScript of all lists: types of their rows and writes, and their
    filters.
    """
    set_up()
    from postern.foundation.rest.openapi.document import document  # noqa: PLC0415 - needs the settings

    whole: dict[str, Any] = document()
    components = {"schemas": _without_words(whole["components"]["schemas"])}
    info = {"title": "Postern", "version": "1"}
    schemas = json.dumps({"openapi": "3.1.0", "info": info, "paths": {}, "components": components}, sort_keys=True)
    return schemas, lists_of(whole["paths"])


def lists_of(paths: dict[str, Any]) -> str:
    """The interface `lists`: for each path that returns rows, the types of a row and of a write, and the names of its
    filters.
    """
    lines = ["/** Lists by path: a row, what is written to make one, and by what the rows can be narrowed. */"]
    lines.append("export interface lists {")
    for path, operations in sorted(paths.items()):
        row = _row_of(operations.get("get", {}))
        if row is None:
            continue
        request = _taken(paths, path)
        names = [part["name"] for part in operations["get"].get("parameters", ()) if part.get("in") == "query"]
        lines.append(f"  readonly '{path.removeprefix(_PREFIX)}': {{")
        lines.append(f"    readonly row: components['schemas']['{row}'];")
        taken = f"components['schemas']['{request}']" if request else "Record<never, never>"
        lines.append(f"    readonly request: {taken};")
        quoted = " | ".join(f"'{name}'" for name in sorted(names))
        lines.append(f"    readonly filter: {quoted or 'never'};")
        lines.append("  };")
    return "\n".join((*lines, "}", ""))


def _taken(paths: dict[str, Any], path: str) -> str | None:
    """Name of the schema of the request body: of a create, otherwise of an update."""
    writes = (paths[path].get("post"), *(paths.get(f"{path}{{id}}/", {}).get(method) for method in ("put", "patch")))
    return next(filter(None, (_first_reference((write or {}).get("requestBody", {})) for write in writes)), None)


def _row_of(operation: dict[str, Any]) -> str | None:
    """Name of the item schema when the operation returns an array, bare or in the envelope of a page."""
    content = operation.get("responses", {}).get("200", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    for shape in schema.get("oneOf", [schema]):
        items = shape.get("items", {}) if shape.get("type") == "array" else {}
        if "$ref" in items:
            return str(items["$ref"]).rsplit("/", 1)[1]
    return None


def _first_reference(part: Any) -> str | None:
    """Name of the first schema that is referred to below this node."""
    if isinstance(part, dict) and "$ref" in part:
        return str(part["$ref"]).rsplit("/", 1)[1]
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return next(filter(None, map(_first_reference, parts)), None)


def _without_words(part: Any) -> Any:
    """Remove labels and descriptions, which do not affect types. A property named `title` is a schema and stays."""
    if isinstance(part, list):
        return [_without_words(item) for item in part]
    if not isinstance(part, dict):
        return part
    texts = {name for name in ("title", "description") if isinstance(part.get(name), str)}
    return {name: _without_words(item) for name, item in part.items() if name not in texts}
