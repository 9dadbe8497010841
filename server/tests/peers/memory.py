"""The private memory of a process."""

from pathlib import Path


def held_bytes(pid: int) -> int:
    """Anonymous memory of the process in bytes.

    The resident set is no good measure: pages of programs and libraries leave it and return at the kernel's discretion.
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"process {pid} has no memory of its own")
