"""Checks all Python files below the given folders. Prints `path:line: rule: problem`; exits with 1 if any."""

import sys
from pathlib import Path

from house_lint.rules import check_source


def main(folders: list[str]) -> int:
    """Exit status: 0 when no file violates a rule."""
    faults = 0
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.py")):
            for finding in check_source(path.as_posix(), path.read_text(encoding="utf-8")):
                sys.stdout.write(f"{path}:{finding.line}: {finding.rule}: {finding.message}\n")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
