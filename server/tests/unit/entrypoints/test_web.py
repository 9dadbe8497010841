import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from postern.entrypoints.supervisor import EXIT_CONFIG


@pytest.mark.parametrize("command", ["web", "up"])
def test_web_address_in_use_ends_with_one_clear_line(tmp_path: Path, command: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        environ = {"PATH": os.environ["PATH"], "POSTERN_HOME": str(tmp_path / "home"), "POSTERN_HTTP": address}
        done = subprocess.run(
            [sys.executable, "-m", "postern.entrypoints", command],
            env=environ,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
    assert done.returncode == EXIT_CONFIG
    assert done.stderr.splitlines() == [f"postern: cannot listen on POSTERN_HTTP {address}: Address already in use"]
