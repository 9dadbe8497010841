"""What a hash costs whoever guesses, which all other tests are spared."""

import subprocess
import sys


def test_hash_costs_at_least_the_owasp_minimum() -> None:
    ask = (
        "from postern.apps.users.hashing import BoundedArgon2Hasher as hasher;"
        "print(hasher.memory_cost, hasher.time_cost, hasher.parallelism)"
    )
    shown = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout
    memory_kib, passes, lanes = map(int, shown.split())
    assert memory_kib >= 46 * 1024
    assert (passes, lanes) == (2, 1)
