"""Synchronises users with the directory of the data folder, as the worker does, and prints the memory that it takes.

In a process of its own, because the peak of a process cannot be told apart by what came before. The output is JSON:
`base_mb` before the synchronisation, `peak_mb` after it, `seconds`, `cpu_s`, `outcome`, `counts`.
"""

import json
import re
import time
from pathlib import Path

import django

django.setup()

from postern.apps.directory import reading  # noqa: E402 - Django must be set up first
from postern.foundation.caller.actor import SYSTEM  # noqa: E402 - Django must be set up first


def peak_mb() -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    assert found is not None
    return int(found[1]) / 1024


def main() -> None:
    reading.request_reading(actor=SYSTEM, with_users=True, accepts_fall=True)
    base_mb, begun_s, begun_cpu_s = peak_mb(), time.perf_counter(), time.process_time()
    assert reading.run_due()
    state = reading.state()
    found = {
        "base_mb": base_mb,
        "peak_mb": peak_mb(),
        "seconds": time.perf_counter() - begun_s,
        "cpu_s": time.process_time() - begun_cpu_s,
        "outcome": state.outcome,
        "counts": state.counts,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
