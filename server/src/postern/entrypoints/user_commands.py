"""`postern user …`: account operations for the case that nobody can sign in to the console."""

import argparse
from collections.abc import Callable
from typing import Final

from postern.foundation.settings import Settings

Add = Callable[[str, "Command"], argparse.ArgumentParser]
Command = Callable[[argparse.Namespace, Settings], int]

_UNKNOWN_ACCOUNT: Final = "there is no account {name!r}; nothing was done"


def add_to(add: Add, load: Callable[[], None]) -> None:
    """Register the subcommands. `load` loads the control plane's apps into this process."""

    def locked(arguments: argparse.Namespace, settings: Settings) -> int:
        """List the accounts and addresses that failed sign-ins have locked."""
        load()
        from postern.apps.authn import facade as authn

        for line in authn.locked_out() or ("no account and no address is locked",):
            print(line)
        return 0

    def unlock(arguments: argparse.Namespace, settings: Settings) -> int:
        """Unlock an account or an address. The user gets a message, and the audit log records it."""
        load()
        from postern.apps.authn import facade as authn
        from postern.apps.users import facade as users

        if arguments.address:
            known = authn.unlock_address(arguments.address)
            print(f"{arguments.address} may sign in again" if known else f"{arguments.address} was not locked")
        if arguments.name:
            if not users.is_known(arguments.name):
                print(_UNKNOWN_ACCOUNT.format(name=arguments.name))
                return 1
            authn.unlock_account(arguments.name)
            print(f"{arguments.name} may sign in again")
        if not arguments.name and not arguments.address:
            print("name an account, or an address with --address")
            return 2
        return 0

    def admit(arguments: argparse.Namespace, settings: Settings) -> int:
        """Switch off the login ACLs about an account, so that it can sign in from everywhere. The audit log records it."""
        load()
        from postern.apps.authn import facade as authn
        from postern.apps.users import facade as users

        if not users.is_known(arguments.name):
            print(_UNKNOWN_ACCOUNT.format(name=arguments.name))
            return 1
        print(f"{authn.admit_everywhere(arguments.name)} login ACLs about {arguments.name} are switched off")
        return 0

    add("enable", _enable(load)).add_argument("name", help="the account's user name")
    link = add("link", _link(load))
    link.add_argument("name", help="the account's user name")
    link.add_argument("--local", action="store_true", help="make a user of a directory or provider a local user first")
    add("reset-mfa", _reset_mfa(load)).add_argument("name", help="the account's user name")
    add("ways", _ways(load))
    add("locked", locked)
    add("admit", admit).add_argument("name", help="the account's user name")
    command = add("unlock", unlock)
    command.add_argument("name", nargs="?", default="", help="the account's user name")
    command.add_argument("--address", default="", help="unlock this address")


def _ways(load: Callable[[], None]) -> Command:
    def ways(arguments: argparse.Namespace, settings: Settings) -> int:
        """Switch on every way of signing in, for the case that none of the chosen ways works. The audit log records it."""
        load()
        from postern.apps.preferences import facade as preferences
        from postern.foundation.caller.actor import SYSTEM
        from postern.kernel.errors import PosternError

        try:
            preferences.open_all_sign_in_ways(actor=SYSTEM)
        except PosternError as error:  # the environment fixes the setting
            print(error.message)
            return 1
        print("all ways of signing in are switched on")
        return 0

    return ways


def _enable(load: Callable[[], None]) -> Command:
    def enable(arguments: argparse.Namespace, settings: Settings) -> int:
        """Enable a disabled account, and renew an expired one. The audit log records it."""
        load()
        from postern.apps.users import facade as users
        from postern.foundation.caller.actor import SYSTEM

        user = users.account_named(arguments.name)
        if user is None:
            print(_UNKNOWN_ACCOUNT.format(name=arguments.name))
            return 1
        users.reopen(actor=SYSTEM, user=user)
        print(f"{arguments.name} is enabled")
        return 0

    return enable


def _link(load: Callable[[], None]) -> Command:
    def link(arguments: argparse.Namespace, settings: Settings) -> int:
        """Print a one-time link with which the owner of an account sets a new password. The audit log records it."""
        load()
        from postern.apps.preferences import facade as preferences
        from postern.apps.users import facade as users
        from postern.foundation.caller.actor import SYSTEM
        from postern.kernel.errors import PosternError

        user = users.account_named(arguments.name)
        if user is None:
            print(_UNKNOWN_ACCOUNT.format(name=arguments.name))
            return 1
        if not user.is_valid:
            print(f"{arguments.name} is disabled or has expired: run postern user enable {arguments.name} first")
            return 1
        try:
            issued = users.renew_link(actor=SYSTEM, user=user, make_local=arguments.local)
        except PosternError as error:  # the password belongs to a directory or provider
            print(f"{error.message} --local makes {arguments.name} a local user; nothing was done")
            return 1
        address = preferences.get_str("SITE_URL").rstrip("/")
        print(f"{address}/ui/set-password#{issued.token.reveal()}")
        print(f"It works once, until {issued.expires_at:%Y-%m-%d %H:%M} UTC. The password stays valid until then.")
        return 0

    return link


def _reset_mfa(load: Callable[[], None]) -> Command:
    def reset_mfa(arguments: argparse.Namespace, settings: Settings) -> int:
        """Remove app, passkeys and recovery codes of an account. The user gets a message, and the audit log records it."""
        load()
        from postern.apps.authn import facade as authn
        from postern.apps.users import facade as users

        if not users.is_known(arguments.name):
            print(_UNKNOWN_ACCOUNT.format(name=arguments.name))
            return 1
        authn.reset_second_factor(arguments.name)
        print(
            f"{arguments.name} has no second factor any more; the next sign-in sets up a new one where it is required"
        )
        return 0

    return reset_mfa
