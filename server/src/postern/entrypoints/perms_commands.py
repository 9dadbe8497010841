"""`postern perms …`: checks of permissions on a live installation."""

import argparse
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
        report = verify_index(username=arguments.user, follow_s=arguments.follow)
        report.faults += history_differences()
        for fault in report.faults:
            print(fault)
        print(f"{report.people} people, {report.assets} assets in reach compared, {len(report.faults)} differences")
        return 1 if report.faults else 0

    command = add("verify", verify)
    command.add_argument("--user", default="", help="compare only this account")
    command.add_argument(
        "--follow",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="let the index follow the writes of so many seconds first, as a web process does",
    )
