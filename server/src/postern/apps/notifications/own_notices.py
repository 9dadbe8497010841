"""Turns events of a user's credentials into messages to that user, as `notices` does for administrators."""

from django.utils.html import format_html
from django.utils.translation import gettext as _

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
    """An administrator removed the user's authenticator app."""

    def render() -> tuple[str, str]:
        body = _(
            "{by} removed your authenticator app and recovery codes, and your sign-ins were ended. Set up a new app in "
            "your profile. If you did not ask for this, tell your administrators."
        )
        return _("Your authenticator app was removed"), str(format_html(f"<p>{body}</p>", by=event.by))

    tell_person(
        user_id=event.user_id,
        message_type=message_types.SECOND_FACTOR_RESET,
        occasion=f"{event.user_id}:{event.at:%Y%m%d%H%M}",
        render=render,
    )
