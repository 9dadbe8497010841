"""`postern licence …`: issue licences, decide which issuers this installation trusts, install and show licences."""

import argparse
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from postern.foundation.settings import Settings
from postern.kernel import clock
from postern.kernel.errors import SettingsError
from postern.kernel.ids import new_id

Command = Callable[[argparse.Namespace, Settings], int]
Adder = Callable[[str, Command], argparse.ArgumentParser]

_DEFAULT_DAYS: Final = 365
_DEFAULT_KEY: Final = Path("postern-licence-issuing.key")


def add_to(add: Adder, django: Callable[[], None]) -> None:
    """Add the subcommands. `django` loads the control plane's apps for the subcommands that need them."""
    issued = add("issue", issue)
    issued.add_argument("--corporation", required=True, help="name of the licence holder")
    issued.add_argument("--edition", default="enterprise")
    issued.add_argument("--subscription-id", default="", help="default: generated")
    issued.add_argument(
        "--from", dest="first_day", type=_day, default=None, help="first day, YYYY-MM-DD (default: today)"
    )
    issued.add_argument(
        "--until", dest="last_day", type=_day, default=None, help="last day, YYYY-MM-DD (default: in a year)"
    )
    issued.add_argument("--assets", type=int, default=None, help="maximum number of assets (default: unlimited)")
    issued.add_argument("--key", type=Path, default=_DEFAULT_KEY, help="the issuing key; created if it does not exist")
    issued.add_argument("--out", type=Path, required=True, help="path of the licence file")
    add("trust", trust).add_argument("key", type=Path, help="the public half of an issuing key")

    def installing(arguments: argparse.Namespace, settings: Settings) -> int:
        django()
        return install(arguments, settings)

    def showing(arguments: argparse.Namespace, settings: Settings) -> int:
        django()
        return show(arguments, settings)

    installing.__doc__, showing.__doc__ = install.__doc__, show.__doc__
    add("install", installing).add_argument("file", type=Path)
    add("show", showing)


def issue(arguments: argparse.Namespace, settings: Settings) -> int:
    """Create a licence file, signed with an issuing key that only you hold."""
    import msgspec

    from postern.apps.licence import document
    from postern.apps.licence.issuing import issuing_key, public_path

    first = arguments.first_day or clock.today()
    last = arguments.last_day or first + timedelta(days=_DEFAULT_DAYS)
    if last < first:
        raise SettingsError("the last day of a licence must not be before its first day")
    fields = {
        "corporation": arguments.corporation,
        "subscription_id": arguments.subscription_id or str(new_id()),
        "edition": arguments.edition,
        "date_issued": first,
        "date_expired": last,
        "asset_count": arguments.assets,
    }
    try:
        licence = msgspec.convert(fields, document.Licence)
    except msgspec.ValidationError as error:
        raise SettingsError(f"invalid licence: {error}") from None
    private, is_new = issuing_key(arguments.key)
    try:
        arguments.out.write_text(document.sign(licence, private), encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"cannot write {arguments.out}: {error.strerror}") from error
    if is_new:
        print(f"created the issuing key {arguments.key}: do not store it in the installation")
    print(f"licence for {licence.corporation}, {first} to {last}: {arguments.out}")
    print(f"to trust this issuer, run on the installation's host: postern licence trust {public_path(arguments.key)}")
    return 0


def trust(arguments: argparse.Namespace, settings: Settings) -> int:
    """Trust the licences of an issuer in this installation."""
    from postern.apps.licence import trust as trusted

    path = trusted.trust(settings.home, trusted.read_public_key(arguments.key))
    print(f"trusted from now on: {path} (delete the file to undo)")
    return 0


def install(arguments: argparse.Namespace, settings: Settings) -> int:
    """Install a licence file; it replaces the present licence."""
    from postern.apps.licence import facade
    from postern.apps.licence.document import MAX_BYTES
    from postern.foundation.caller.actor import SYSTEM

    try:
        with arguments.file.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"cannot read {arguments.file}: {error.strerror}") from error
    licence = facade.install(actor=SYSTEM, data=data)
    print(f"installed: {licence.corporation}, until {licence.date_expired}")
    return 0


def show(arguments: argparse.Namespace, settings: Settings) -> int:
    """Show the installed licence and whether it is valid; the exit status is 1 when it is not."""
    from postern.apps.licence import facade

    state = facade.state()
    licence = state.licence
    if licence is not None:
        number = "any number" if licence.asset_count is None else str(licence.asset_count)
        print(f"corporation   {licence.corporation}")
        print(f"subscription  {licence.subscription_id}")
        print(f"edition       {licence.edition}")
        print(f"assets        {number}")
        print(f"days          {licence.date_issued} to {licence.date_expired}, {licence.days_left(state.day)} left")
    if state.is_valid:
        print("valid         yes")
        return 0
    print(f"valid         no: {state.message}", file=sys.stderr)
    return 1


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a day is written YYYY-MM-DD") from None
