"""Interface to the mail with a set-password link, which notifications, in a higher layer, queue."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from postern.apps.users.accounts.models import User
from postern.apps.users.credentials.actions.links import IssuedLink
from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided


class LinkReason(StrEnum):
    """Why a user gets a link."""

    CREATED = "created"
    RESET = "reset"
    FORGOTTEN = "forgotten"


#: Queues the mail inside the caller's transaction. False: mail is not configured, or the user has no address.
LINK_MAIL: Final = Provided[Callable[[Actor, User, IssuedLink, LinkReason], bool]]("the mail with a set-password link")


def queue(actor: Actor, user: User, link: IssuedLink, reason: LinkReason) -> bool:
    """Queue the mail with this link. Returns whether it was queued; otherwise the caller hands the link out."""
    return LINK_MAIL.value(actor, user, link, reason)
