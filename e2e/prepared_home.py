"""A migrated data folder that the products of a test run start from.

The migrations of a new data folder take nine seconds of CPU time, and a run starts about sixty products. The first
product of the run migrates a folder, and all others copy it, as an operator would restore a backup. The copies share
the keys of the folder. Tests of the first start itself migrate: `Product(home, anew=True)`.
"""

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path


class PreparedHome:
    """`folder` belongs to the run and is shared by its workers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        #: Exists when the first product of the run has started.
        self.made = folder / "home"

    def copy_to(self, home: Path, migrate: Callable[[Path], None]) -> None:
        """Make the data folder. The first caller of a run makes the prepared one with `migrate(folder)`."""
        self._folder.mkdir(exist_ok=True)
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the kernel releases the lock when the process ends in any way
            if not self.made.exists():
                making = self._folder / "making"
                shutil.rmtree(making, ignore_errors=True)  # left by a worker that was killed
                migrate(making)
                making.rename(self.made)
        shutil.copytree(self.made, home)
