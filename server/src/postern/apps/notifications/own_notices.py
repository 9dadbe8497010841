"""Turns events of a user's account and credentials into messages to that user, as `notices` does for administrators."""

from datetime import datetime
from uuid import UUID

from postern.apps.authn.lock_out.events import AccountUnlocked
from postern.apps.authn.passkeys.events import PasskeyAdded, PasskeyRemoved
from postern.apps.authn.second_factors.events import SecondFactorReset
from postern.apps.notifications.actions import tell_person
from postern.apps.notifications.declarations import personal
from postern.apps.users.credentials.events import PublicKeysRemoved


def on_account_unlocked(event: AccountUnlocked) -> None:
    """An administrator unlocked an account before its lock expired."""
    notice = personal.ACCOUNT_UNLOCKED.about(event)
    tell_person(user_id=event.user_id, notice=notice, occasion=_once_a_minute(event.user_id, event.at))


def on_public_keys_removed(event: PublicKeysRemoved) -> None:
    """An administrator removed the user's SSH public keys."""
    notice = personal.PUBLIC_KEYS_REMOVED.about(event)
    tell_person(user_id=event.user_id, notice=notice, occasion=_once_a_minute(event.user_id, event.at))


def on_second_factor_reset(event: SecondFactorReset) -> None:
    """An administrator removed the user's authenticator app and passkeys."""
    notice = personal.SECOND_FACTOR_RESET.about(event)
    tell_person(user_id=event.user_id, notice=notice, occasion=_once_a_minute(event.user_id, event.at))


def on_passkey_added(event: PasskeyAdded) -> None:
    """The user, or somebody in their browser, added a passkey."""
    notice = personal.PASSKEY_ADDED.about(event)
    tell_person(user_id=event.user_id, notice=notice, occasion=f"{event.passkey_id}:added")


def on_passkey_removed(event: PasskeyRemoved) -> None:
    """The user, or somebody in their browser, removed a passkey."""
    notice = personal.PASSKEY_REMOVED.about(event)
    tell_person(user_id=event.user_id, notice=notice, occasion=f"{event.passkey_id}:removed")


def _once_a_minute(user_id: UUID, at: datetime) -> str:
    return f"{user_id}:{at:%Y%m%d%H%M}"
