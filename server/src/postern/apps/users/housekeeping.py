"""Deletes expired links and invitations. The audit log keeps who created, used and answered them."""

from datetime import timedelta
from typing import Final

from postern.apps.users.credentials.models import SetPasswordLink
from postern.apps.users.invitations.models import Invitation
from postern.foundation.caller.actor import Actor
from postern.foundation.database.batches import delete_in_batches
from postern.kernel import clock

#: Keep expired links and invitations this long, so that a late use gets another answer than an unknown link.
_KEEP: Final = timedelta(days=90)


def forget_old(*, actor: Actor) -> int:
    """Delete set-password links and invitations that expired long ago; returns their number. Safe to repeat."""
    del actor  # only rows without any later use are deleted, so there is nothing to audit
    border = clock.now() - _KEEP
    links = SetPasswordLink.objects.filter(date_expired__lte=border)
    return delete_in_batches(links) + delete_in_batches(Invitation.objects.filter(date_expired__lte=border))
