"""`postern retention`: what would be deleted now."""

import argparse
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from postern.foundation.settings import Settings

if TYPE_CHECKING:
    from postern.apps.sessions.facade import RetentionAmount

Command = Callable[[argparse.Namespace, Settings], int]
Add = Callable[[str, Command], argparse.ArgumentParser]
_MIB: Final = 1024 * 1024


def add_to(add: Add, load: Callable[[], None]) -> None:
    """Register the subcommands with `add`. `load` loads the control plane's apps into this process."""

    def preview(arguments: argparse.Namespace, settings: Settings) -> int:
        """Print what retention would delete now, by organization. Deletes nothing."""
        del arguments, settings
        load()
        from postern.apps.sessions import facade as sessions

        organizations = sessions.retention_forecast()
        for one in organizations:
            print(f"{one.org_name}\tto delete\t{_text(one.due)}")
            if one.held.sessions:
                print(f"{one.org_name}\ton hold\t{_text(one.held)}")
        if not organizations:
            print("nothing is due")
        return 0

    add("preview", preview)


def _text(amount: "RetentionAmount") -> str:
    text = f"{amount.sessions:,} sessions, {amount.recordings:,} recordings, {amount.bytes / _MIB:,.1f} MiB"
    return f"{text}, ended {_day(amount.oldest)} to {_day(amount.newest)}" if amount.sessions else text


def _day(instant: datetime | None) -> str:
    return "-" if instant is None else f"{instant:%Y-%m-%d}"
