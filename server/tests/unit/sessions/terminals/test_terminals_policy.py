"""The rules of terminals: their status."""

import pytest

from postern.apps.sessions.terminals import policy


@pytest.mark.parametrize(
    ("cpu", "memory", "disk", "expected"),
    [
        (0.0, 0.0, 0.0, "normal"),
        (5.0, 0.0, 0.0, "high"),
        (0.0, 86.0, 0.0, "high"),
        (0.0, 0.0, 80.0, "high"),
        (20.0, 0.0, 0.0, "critical"),
        (0.0, 95.0, 0.0, "critical"),
        (0.0, 0.0, 99.0, "critical"),
    ],
)
def test_terminal_status_is_the_worst_of_its_measures(cpu: float, memory: float, disk: float, expected: str) -> None:
    status = policy.terminal_status(alive=True, cpu_load=cpu, memory_used=memory, disk_used=disk)
    assert status.value == expected
    assert policy.terminal_status(alive=False, cpu_load=cpu, memory_used=memory, disk_used=disk).value == "offline"
