"""The product code follows the house rules (`tools/house_lint`)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_product_code_follows_the_house_rules() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "house_lint", "server/src"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "tools")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
