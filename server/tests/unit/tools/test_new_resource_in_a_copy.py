"""`make new-resource` on a copy of the repository: what it writes is complete, passes its checks, and is small."""

import difflib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
#: Not copied: what is installed, built or left behind. Installed packages are only read, through links.
LEFT_OUT = shutil.ignore_patterns(
    ".git",
    ".venv",
    ".stamps",
    "node_modules",
    "dist",
    "var",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
)
INSTALLED = ("console/node_modules", "console/tools/openapi/node_modules")
SITE = ("app=assets", "name=site", "zh=站点", "fields=name:text city:text:城市 assets:many(assets.Asset)")
#: Written wholly by commands: nobody reads or writes them by hand.
BY_COMMANDS = ("api.ts", "django.mo", "authorization_matrix.tsv", "query_counts.tsv", "migrations", "audit-events")
#: Tests about all resources that a new one takes part in.
TESTS = (
    "tests/architecture/test_app_layout.py",
    "tests/architecture/test_audit_catalogue.py",
    "tests/architecture/test_models.py",
    "tests/architecture/test_plain_declarations.py",
    "tests/architecture/test_writes.py",
    "tests/unit/locale",
    "tests/integration/test_plain_resources.py",
    "tests/integration/test_write_proofs.py",
)

pytestmark = pytest.mark.any_database


class Copy:
    """A copy of the repository with the packages of this checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT, symlinks=True)
        (folder / ".venv").symlink_to(sys.prefix)
        for packages in INSTALLED:
            (folder / packages).symlink_to(ROOT / packages)

    def run(self, *command: str, cwd: str = ".") -> subprocess.CompletedProcess[str]:
        """Run a command of the copy, whose modules come before those of this checkout."""
        taken = ("POSTERN_", "PYTEST_", "DJANGO_", "TEST_RUN_", "DATABASE_URL")
        environ = {name: value for name, value in os.environ.items() if not name.startswith(taken)}
        environ["PYTHONPATH"] = f"{self.folder / 'server/src'}{os.pathsep}{self.folder / 'tools'}"
        return subprocess.run(
            command, cwd=self.folder / cwd, env=environ, capture_output=True, text=True, errors="replace", check=False
        )

    def python(self, *arguments: str, cwd: str = ".") -> subprocess.CompletedProcess[str]:
        return self.run(str(self.folder / ".venv/bin/python"), *arguments, cwd=cwd)

    def files(self) -> dict[str, str]:
        """Digest of every file, by path."""
        paths = (path for path in self.folder.rglob("*") if path.is_file() and not self._is_left_out(path))
        return {str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}

    def _is_left_out(self, path: Path) -> bool:
        parts = set(path.relative_to(self.folder).parts)
        return bool(
            parts & {".venv", "node_modules", "__pycache__", ".ruff_cache", ".pytest_cache", ".import_linter_cache"}
        )


@pytest.fixture
def copy(tmp_path: Path) -> Iterator[Copy]:
    made = Copy(tmp_path / "copy")
    yield made
    shutil.rmtree(made.folder)


def written_lines(folder: Path, path: str) -> int:
    """Lines that the copy has and this checkout has not."""
    before = (ROOT / path).read_text().splitlines() if (ROOT / path).exists() else []
    after = (folder / path).read_text().splitlines()
    return sum(line.startswith("+ ") for line in difflib.ndiff(before, after))


def test_new_resource_is_written_whole_passes_its_checks_and_is_small(copy: Copy) -> None:
    assert str(copy.folder) in copy.python("-c", "import postern; print(postern.__file__)").stdout
    before = copy.files()
    made = copy.python("-m", "new_resource", *SITE)
    assert made.returncode == 0, made.stdout + made.stderr
    after = copy.files()
    changed = sorted(path for path in after if after[path] != before.get(path))
    assert before.keys() <= after.keys()
    by_hand = [path for path in changed if not any(part in path for part in BY_COMMANDS)]
    assert len(by_hand) <= 12, by_hand
    assert sum(written_lines(copy.folder, path) for path in by_hand) <= 200

    again = copy.python("-m", "new_resource", *SITE)
    assert (again.returncode, "is there already" in again.stderr) == (2, True), again.stderr
    assert copy.files() == after

    tests = copy.python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, "-k", "sites or architecture or locale", cwd="server"
    )
    assert tests.returncode == 0, tests.stdout
    assert copy.run(str(copy.folder / ".venv/bin/lint-imports"), "--no-cache", cwd="server").returncode == 0
    sources = [f"../{path}" for path in by_hand if path.endswith(".py")]
    lint = copy.python("-m", "ruff", "check", *sources, cwd="server")
    assert lint.returncode == 0, lint.stdout
    for check in (
        "node_modules/.bin/tsc --noEmit",
        "node_modules/.bin/oxlint --deny-warnings",
        "node tools/locales.mjs",
        "node tools/layers.mjs",
    ):
        console = copy.run(*check.split(), cwd="console")
        assert console.returncode == 0, console.stdout + console.stderr


def test_command_that_fails_leaves_all_files_as_they_were(copy: Copy) -> None:
    (copy.folder / "tools/generate.py").write_text("raise SystemExit(3)\n")
    before = copy.files()
    failed = copy.python("-m", "new_resource", *SITE)
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "All files are as they were before." in failed.stderr
    assert copy.files() == before
    assert not (copy.folder / "server/src/postern/apps/assets/sites").exists()
