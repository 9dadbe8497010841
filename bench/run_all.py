"""`make bench`: runs all benchmarks of this folder one after the other, so that they do not affect each other."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
QUICK = "--quick"


def main(arguments: list[str]) -> int:
    status = 0
    for script in sorted(HERE.glob("*.py")):
        if script.name in {Path(__file__).name, "conftest.py"}:
            continue
        print(f"\n== {script.stem} ==", flush=True)
        status |= subprocess.call([sys.executable, str(script), *arguments])
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
