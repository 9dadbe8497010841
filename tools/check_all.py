"""`make check`: all checks that do not run the product. The longest come first, two run at a time."""

import sys

from steps import BIN, ROOT, Step, exit_status, perform_all

#: The type checker loads Django's settings, which create a data folder.
HOME = str(ROOT / ".stamps" / "check-home")
PYTHON_FOLDERS = ("src", "tests", "../tools", "../e2e", "../bench")

STEPS = (
    Step("types (mypy)", (str(BIN / "mypy"), "src/postern"), "server", {"POSTERN_HOME": HOME}),
    Step("console (types, lint, texts, budgets)", ("npm", "run", "--silent", "check"), "console"),
    Step("architecture", (str(BIN / "python"), "-m", "pytest", "-q", "tests/architecture"), "server"),
    Step("texts of the server", (str(BIN / "python"), "-m", "pytest", "-q", "tests/unit/locale"), "server"),
    Step("migrations", (str(BIN / "python"), "tools/migrations.py", "--check")),
    Step("import contracts", (str(BIN / "lint-imports"), "--no-cache"), "server"),
    Step("format (ruff)", (str(BIN / "ruff"), "format", "--check", *PYTHON_FOLDERS), "server"),
    Step("lint (ruff)", (str(BIN / "ruff"), "check", *PYTHON_FOLDERS), "server"),
    Step("house rules", (str(BIN / "python"), "-m", "house_lint", "server/src"), ".", {"PYTHONPATH": "tools"}),
    Step("specification", (str(BIN / "python"), "tools/spec_coverage.py", "--check")),
    Step("generated pages", (str(BIN / "python"), "tools/generate.py", "--check")),
    Step("licences", (str(BIN / "python"), "tools/licences.py")),
    Step("secrets", (str(BIN / "python"), "tools/secret_scan.py")),
)

if __name__ == "__main__":
    sys.exit(exit_status(perform_all(STEPS, at_once=2)))
