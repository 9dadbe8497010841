"""`postern terminal`: list and manage the registered proxies from the command line."""

import argparse
from collections.abc import Callable
from typing import Any

from postern.foundation.settings import Settings
from postern.kernel.errors import NotFound

Command = Callable[[argparse.Namespace, Settings], int]
Add = Callable[[str, Command], argparse.ArgumentParser]


def add_to(add: Add, load: Callable[[], None]) -> None:
    """Register the subcommands with `add`. `load` loads the control plane's apps into this process."""

    def loaded(work: Callable[[str], None]) -> Command:
        def run(arguments: argparse.Namespace, settings: Settings) -> int:
            del settings
            load()
            work(getattr(arguments, "terminal", ""))
            return 0

        run.__doc__ = work.__doc__
        return run

    add("list", loaded(show))
    for name, work in (("accept", accept), ("refuse", refuse), ("renew", renew), ("revoke", revoke)):
        add(name, loaded(work)).add_argument("terminal", help="the name or id of the terminal")


def show(_terminal: str) -> None:
    """List the proxies: name, state, address, fingerprint of the credential, id."""
    from postern.apps.sessions import facade as sessions

    for terminal in sessions.terminals():
        print(
            "\t".join(
                (
                    terminal.name,
                    terminal.state,
                    terminal.remote_addr or "-",
                    terminal.fingerprint or "-",
                    str(terminal.id),
                )
            )
        )


def accept(terminal: str) -> None:
    """Accept a waiting proxy; first compare its fingerprint with the one in its log."""
    from postern.apps.sessions import facade as sessions

    _do(terminal, sessions.accept_terminal, "is accepted")


def refuse(terminal: str) -> None:
    """Refuse a waiting proxy."""
    from postern.apps.sessions import facade as sessions

    _do(terminal, sessions.refuse_terminal, "was refused")


def renew(terminal: str) -> None:
    """Let a proxy fetch a new credential with its next heartbeat."""
    from postern.apps.sessions import facade as sessions

    _do(terminal, sessions.renew_terminal, "fetches a new credential with its next heartbeat")


def revoke(terminal: str) -> None:
    """Revoke the credential of a proxy; it has to register and be accepted again."""
    from postern.apps.sessions import facade as sessions

    _do(terminal, sessions.revoke_terminal, "has no credential any more")


def _do(text: str, act: Callable[..., Any], done: str) -> None:
    """Find the proxy and apply `act`. Raises NotFound."""
    from postern.apps.sessions import facade as sessions
    from postern.foundation.caller.actor import SYSTEM

    terminal = sessions.find_terminal(text)
    if terminal is None:
        raise NotFound(f"there is no terminal {text!r}")
    act(actor=SYSTEM, terminal_id=terminal.id)
    print(f"{terminal.name} {done}")
