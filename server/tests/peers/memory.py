"""How much memory a process holds for itself."""

from pathlib import Path


def held_bytes(pid: int) -> int:
    """Anonymous memory of the process in bytes.

    Not its whole resident set: pages of programs and libraries leave that and return to it as the system pleases.
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"process {pid} has no memory of its own")
