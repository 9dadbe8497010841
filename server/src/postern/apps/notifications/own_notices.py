"""Turns events of a user's credentials into messages to that user, as `notices` does for administrators."""

from django.utils.html import format_html
from django.utils.translation import gettext as _

from postern.apps.authn.passkeys.events import PasskeyAdded, PasskeyRemoved
from postern.apps.authn.second_factors.events import SecondFactorReset
from postern.apps.notifications import message_types
from postern.apps.notifications.actions import tell_person
from postern.apps.users.credentials.events import PublicKeysRemoved


def on_public_keys_removed(event: PublicKeysRemoved) -> None:
    """An administrator removed the user's SSH public keys."""

    def render() -> tuple[str, str]:
        body = _("{by} removed your SSH public keys. To sign in over SSH with a key, add a new one in your profile.")
        return _("Your SSH public keys were removed"), str(format_html(f"<p>{body}</p>", by=event.by))

    tell_person(
        user_id=event.user_id,
        message_type=message_types.PUBLIC_KEYS_REMOVED,
        occasion=f"{event.user_id}:{event.at:%Y%m%d%H%M}",
        render=render,
    )


def on_second_factor_reset(event: SecondFactorReset) -> None:
    """An administrator removed the user's authenticator app and passkeys."""

    def render() -> tuple[str, str]:
        body = _(
            "{by} removed your authenticator app, passkeys and recovery codes, and your sign-ins were ended. Set up a new "
            "second factor in your profile. If you did not ask for this, tell your administrators."
        )
        return _("Your second factor was removed"), str(format_html(f"<p>{body}</p>", by=event.by))

    tell_person(
        user_id=event.user_id,
        message_type=message_types.SECOND_FACTOR_RESET,
        occasion=f"{event.user_id}:{event.at:%Y%m%d%H%M}",
        render=render,
    )


def on_passkey_added(event: PasskeyAdded) -> None:
    """The user, or somebody in their browser, added a passkey."""

    def render() -> tuple[str, str]:
        body = _(
            "The passkey “{name}” was added to your account from {address}. If this was not you, tell your "
            "administrators at once: they can reset your second factor and your password, also when you cannot sign in."
        )
        text = format_html(f"<p>{body}</p>", name=event.name, address=event.remote_addr)
        return _("A passkey was added to your account"), str(text)

    tell_person(
        user_id=event.user_id,
        message_type=message_types.PASSKEY_ADDED,
        occasion=f"{event.passkey_id}:added",
        render=render,
    )


def on_passkey_removed(event: PasskeyRemoved) -> None:
    """The user, or somebody in their browser, removed a passkey."""

    def render() -> tuple[str, str]:
        body = _(
            "The passkey “{name}” was removed from your account from {address}, and your other sign-ins were ended. If "
            "this was not you, change your password and tell your administrators."
        )
        text = format_html(f"<p>{body}</p>", name=event.name, address=event.remote_addr)
        return _("A passkey was removed from your account"), str(text)

    tell_person(
        user_id=event.user_id,
        message_type=message_types.PASSKEY_REMOVED,
        occasion=f"{event.passkey_id}:removed",
        render=render,
    )
