"""`make new-resource`: see `request.USAGE`."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import translations
from steps import BIN, ROOT

from new_resource import console, server, trials
from new_resource.changes import Changes
from new_resource.request import USAGE, BadRequest, Field, Request, parse, sentence
from new_resource.targets import targets_of

#: Files that the commands write, besides a migration.
_WRITTEN_BY_COMMANDS = (
    "server/src/postern/locale/*/LC_MESSAGES/*.mo",
    "server/tests/architecture/authorization_matrix.tsv",
    "server/tests/integration/query_counts.tsv",
    "console/src/generated/api.ts",
    "docs/reference/audit-events*.md",
)
CATALOGUE = "server/src/postern/locale/zh_Hans/LC_MESSAGES/django.po"


def prepare(request: Request, root: Path = ROOT) -> Changes:
    """All changes of files by hand; nothing is written. Raises BadRequest."""
    changes = Changes(root)
    folder = f"{server.APPS}/{request.app}/{request.plural}"
    if (root / folder).exists():
        raise BadRequest(f"{folder} is there already")
    targets = targets_of(request, root)
    server.write(changes, request, targets)
    console.write(changes, request, targets)
    trials.write(changes, request, targets)
    _translate(changes, request)
    return changes


def _translate(changes: Changes, request: Request) -> None:
    """Add the Chinese of the texts that the catalogue does not have yet."""
    known = {text.single for text in translations.read_catalogue(changes.text(CATALOGUE)).translations}
    own = Field("", "", chinese=request.chinese)
    words = {
        sentence(request.name): own,
        sentence(request.plural): own,
        **{field.words: field for field in request.fields},
    }
    new = {text: field for text, field in words.items() if text not in known}
    missing = [field.name for field in new.values() if not field.chinese]
    if missing:
        raise BadRequest(
            f"the catalogue has no Chinese for {', '.join(missing)}: say it behind the kind, as in city:text:城市"
        )
    entries = "".join(f'\nmsgid "{text}"\nmsgstr "{field.chinese}"\n' for text, field in new.items())
    changes.insert(CATALOGUE, entries, after=r"\Z")


def _commands(request: Request, paths: Sequence[str]) -> list[tuple[str, Sequence[str], dict[str, str]]]:
    """What writes the rest: folder, command, environment."""
    python = str(BIN / "python")
    sources = [f"../{path}" for path in paths if path.endswith(".py")]
    console_files = [path.removeprefix("console/") for path in paths if path.startswith("console/")]
    matrices = [
        "tests/architecture/test_authorization_matrix.py::test_k4_endpoints_answer_each_role_as_the_matrix_says",
        "tests/integration/test_query_counts.py::test_every_list_costs_the_queries_that_it_is_known_to_cost",
    ]
    return [
        (".", [python, "tools/translations.py", "compile"], {}),
        ("server", [str(BIN / "ruff"), "check", "--quiet", "--fix", *sources], {}),
        ("server", [str(BIN / "ruff"), "format", "--quiet", *sources], {}),
        (".", [python, "tools/migrations.py", f"app={request.app}", f"name={request.plural}"], {}),
        ("console", [str(ROOT / "console/node_modules/.bin/oxfmt"), *console_files], {}),
        (".", [python, "tools/generate.py"], {}),
        ("server", [python, "-m", "pytest", "-q", "--no-header", *matrices], {"POSTERN_WRITE_MATRIX": "1"}),
    ]


def main(arguments: list[str]) -> int:
    """Write the resource; 2 when it cannot be written, and then nothing is changed."""
    try:
        pairs = [one.split("=", 1) for one in arguments]
        request = parse({pair[0]: pair[1] for pair in pairs if len(pair) == 2 and pair[1]})
        changes = prepare(request)
    except BadRequest as error:
        print(f"new-resource: {error}\n\n{USAGE}", file=sys.stderr)
        return 2
    changes.remember(*_WRITTEN_BY_COMMANDS, f"server/src/postern/apps/{request.app}/migrations/*.py")
    try:
        changes.write()
        for folder, command, environ in _commands(request, changes.paths):
            print(" ".join(Path(part).name if part.startswith("/") else part for part in command[:6]), flush=True)
            subprocess.run(command, cwd=ROOT / folder, env={**os.environ, **environ}, check=True)
    except (OSError, subprocess.CalledProcessError, KeyboardInterrupt) as error:
        changes.undo()
        print(f"new-resource: {error or 'interrupted'}\nAll files are as they were before.", file=sys.stderr)
        return 1
    print("\n".join(["", "written:", *(f"  {path}" for path in changes.paths)]))
    print("Read the new lines of authorization_matrix.tsv and query_counts.tsv, then `make check`.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
