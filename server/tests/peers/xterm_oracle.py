"""xterm-headless in a Node process: how the browser's terminal interprets bytes."""

import base64
import fcntl
import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_FOLDER = Path(__file__).parents[3] / "tools" / "oracle"


class XtermOracle:
    """Answers one case at a time. Installs its two packages from the lock file at first use."""

    def __init__(self) -> None:
        with (_FOLDER / "package.json").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may arrive here at the same time
            if not (_FOLDER / "node_modules" / "@xterm" / "headless").is_dir():
                subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=_FOLDER, check=True, capture_output=True)
        self._process = subprocess.Popen(
            ["node", str(_FOLDER / "oracle.js")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=60)

    def show(self, columns: int, rows: int, steps: list[bytes | tuple[int, int]]) -> Any:
        """Each step is output bytes, or (columns, rows) of a resize. Returns the value that `oracle.js` documents."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wanted = [
            {"data": base64.b64encode(step).decode()} if isinstance(step, bytes) else {"resize": step} for step in steps
        ]
        self._process.stdin.write(json.dumps({"columns": columns, "rows": rows, "steps": wanted}) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
