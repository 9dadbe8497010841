"""The console's types of what the API answers and takes: `console/src/generated/api.ts`, made from the API's own description.

The generator is an npm package of its own (`console/tools/openapi`), installed when types are made. Whether they are current is
told without it: their first line carries the hash of the schemas that they were made from.
"""

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from steps import ROOT

TYPES: Final = ROOT / "console" / "src" / "generated" / "api.ts"
_GENERATOR: Final = ROOT / "console" / "tools" / "openapi"


def is_current() -> bool:
    """Whether the types were made from the schemas of today."""
    return TYPES.exists() and TYPES.read_text(encoding="utf-8").startswith(_first_line(_schemas()))


def make() -> None:
    """Write the types. Needs the npm registry. Raises CalledProcessError."""
    schemas = _schemas()
    if not (_GENERATOR / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--include=dev", "--no-audit", "--no-fund"], cwd=_GENERATOR, check=True)
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "openapi.json"), Path(folder, "api.ts")
        source.write_text(schemas, encoding="utf-8")
        command = [
            str(_GENERATOR / "node_modules/.bin/openapi-typescript"),
            str(source),
            "-o",
            str(made),
            "--immutable",
        ]
        subprocess.run(command, cwd=_GENERATOR, check=True)
        TYPES.parent.mkdir(parents=True, exist_ok=True)
        TYPES.write_text(f"{_first_line(schemas)}\n{made.read_text(encoding='utf-8')}", encoding="utf-8")
    subprocess.run([str(ROOT / "console/node_modules/.bin/oxfmt"), str(TYPES)], cwd=ROOT / "console", check=True)


def _first_line(schemas: str) -> str:
    return f"// Made by `make gen` from the API's description; do not edit. Schemas: {hashlib.sha256(schemas.encode()).hexdigest()}"


def _schemas() -> str:
    """What objects look like, without the paths, in a stable order."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.setdefault("POSTERN_HOME", home)
        os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
        import django  # noqa: PLC0415 - reads the settings when it is set up, which make their folder

        django.setup()
        from postern.foundation.rest.openapi.document import document  # noqa: PLC0415 - needs the settings

        whole: dict[str, Any] = document()
    components = {"schemas": _without_words(whole["components"]["schemas"])}
    info = {"title": "Postern", "version": "1"}
    return json.dumps({"openapi": "3.1.0", "info": info, "paths": {}, "components": components}, sort_keys=True)


def _without_words(part: Any) -> Any:
    """Types do not change with labels and sentences. A field that is called `title` is no text but a schema."""
    if isinstance(part, list):
        return [_without_words(one) for one in part]
    if not isinstance(part, dict):
        return part
    texts = {name for name in ("title", "description") if isinstance(part.get(name), str)}
    return {name: _without_words(one) for name, one in part.items() if name not in texts}
