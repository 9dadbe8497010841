"""The runner starts with each first job after a pause, so it loads only what it needs."""

import subprocess
import sys

#: Sessions, recording, fronts, the client of the control plane, the control plane itself.
NOT_NEEDED = (
    "aiohttp",
    "django",
    "redis",
    "re2",
    "postern.apps",
    "postern.proxies.ssh",
    "postern.proxies.terminal",
    "postern.proxies.core.sessions",
    "postern.proxies.core.control",
    "postern.contracts.recording",
)


def test_runner_loads_neither_sessions_nor_the_control_plane() -> None:
    program = "import sys, postern.entrypoints.runner; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "postern.proxies.runner.runner" in loaded
    assert [name for name in loaded if any(name == one or name.startswith(f"{one}.") for one in NOT_NEEDED)] == []
