"""`postern perms …`: checks of permissions on a live installation."""

import argparse
import sys
from collections.abc import Callable

from postern.foundation.settings import Settings

Add = Callable[[str, "Command"], argparse.ArgumentParser]
Command = Callable[[argparse.Namespace, Settings], int]


def add_to(add: Add, load: Callable[[], None]) -> None:
    """Register the subcommands. `load` loads the control plane's apps into this process."""

    def verify(arguments: argparse.Namespace, settings: Settings) -> int:
        """Compare what people reach by the index of lists and by the tables, and the history with the tables.

        Changes nothing; people may go on working.
        """
        load()
        from postern.apps.perms.facade import history_differences, verify_index
        from postern.apps.users import facade as users

        if arguments.user and not users.is_known(arguments.user):
            print(f"there is no account {arguments.user!r}; nothing was compared")
            return 1
        lines = _Lines()
        report = verify_index(
            found=lines.fault, progressed=lines.progress, username=arguments.user, follow_s=arguments.follow
        )
        lines.status("comparing the history")
        for fault in history_differences():
            lines.fault(fault)
        lines.status("")
        print(f"{report.people} people, {report.assets} assets in reach compared, {lines.faults} differences")
        return 1 if lines.faults else 0

    command = add("verify", verify)
    command.add_argument("--user", default="", help="compare only this account")
    command.add_argument(
        "--follow",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="let the index follow the writes of so many seconds first, as a web process does",
    )


class _Lines:
    """Differences as they are found, and on a terminal how far the comparison is. Keeps nothing."""

    def __init__(self) -> None:
        self.faults = 0

    def fault(self, line: str) -> None:
        """Print a difference."""
        self.faults += 1
        self.status("")
        print(line)

    def progress(self, done: int, total: int) -> None:
        """Show how many people were compared."""
        self.status(f"{done:,} of {total:,} people compared")

    def status(self, text: str) -> None:
        """Replace the line of the progress; "" removes it."""
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
