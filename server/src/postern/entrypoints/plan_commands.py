"""`postern plan`, `postern apply` and `postern export`: access as code, for operators of the machine."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from postern.foundation.settings import Settings

Add = Callable[[str, "Command"], argparse.ArgumentParser]
Command = Callable[[argparse.Namespace, Settings], int]


def add_to(add: Add, load: Callable[[], None]) -> None:
    """Register the commands. `load` loads the control plane's apps into this process."""

    def plan(arguments: argparse.Namespace, settings: Settings) -> int:
        """Show what a file of groups, nodes, permissions and command filters would change: exit status 0 nothing, 2 something, 1 an error."""
        load()
        from postern.apps.plans import facade as plans

        made = _carried_out(arguments, plans.plan)
        return 1 if made is None else 2 if made.changes else 0

    def apply(arguments: argparse.Namespace, settings: Settings) -> int:
        """Carry out a file in one transaction, all or nothing. The audit log records every change."""
        load()
        from postern.apps.plans import facade as plans

        def carry_out(**values: Any) -> Any:
            return plans.apply(**values, expected=arguments.plan)

        return 1 if _carried_out(arguments, carry_out) is None else 0

    def export(arguments: argparse.Namespace, settings: Settings) -> int:
        """Write the present groups, nodes, permissions and command filters of an organization to standard output."""
        load()
        from postern.apps.orgs import facade as orgs
        from postern.apps.plans import facade as plans
        from postern.foundation.caller.actor import SYSTEM
        from postern.foundation.caller.scope import writable

        org_id = writable(orgs.find_scope(arguments.organization))
        sys.stdout.buffer.write(plans.export(actor=SYSTEM, org_id=org_id).encode())
        return 0

    for name, command in (("plan", plan), ("apply", apply)):
        parser = add(name, command)
        parser.add_argument("file", type=Path, help="the file; - for standard input")
        parser.add_argument("--json", action="store_true", help="print JSON")
        if command is apply:
            parser.add_argument(
                "--plan", default="", metavar="DIGEST", help="only if it changes exactly what this plan has shown"
            )
    exporting = add("export", export)
    exporting.add_argument("--organization", default="default", metavar="NAME", help="its name or id")


def _carried_out(arguments: argparse.Namespace, carry_out: Callable[..., Any]) -> Any:
    """The plan, printed; None after problems, which are printed with their places."""
    from postern.apps.orgs import facade as orgs
    from postern.apps.plans import facade as plans
    from postern.foundation.caller.actor import SYSTEM
    from postern.foundation.caller.scope import writable

    name = str(arguments.file)
    try:
        checker = plans.read_wish(_text(arguments.file))
        checker.require_organization()
        org_id = writable(orgs.find_scope(checker.wish.organization))
        made = carry_out(actor=SYSTEM, org_id=org_id, checker=checker)
    except plans.FileRefused as error:
        for line in error.lines("standard input" if name == "-" else name):
            print(line, file=sys.stderr)
        return None
    print(json.dumps(made.shown(), ensure_ascii=False, indent=2) if arguments.json else plans.in_words(made), end="")
    return made


def _text(file: Path) -> str:
    """The text of the file. Raises FileUnreadable."""
    from postern.apps.plans import facade as plans

    # One byte more than allowed, so that the reader refuses what is too large.
    try:
        if str(file) == "-":
            content = sys.stdin.buffer.read(plans.MAX_BYTES + 1)
        else:
            with file.open("rb") as opened:
                content = opened.read(plans.MAX_BYTES + 1)
    except OSError as error:
        raise plans.FileUnreadable(f"{file} cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise plans.FileUnreadable(f"{file} is not UTF-8") from error
