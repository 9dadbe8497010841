"""Forgetting links and invitations that are over. Who made, used and answered them is in the audit log."""

from datetime import timedelta
from typing import Final

from postern.apps.users.credentials.models import SetPasswordLink
from postern.apps.users.invitations.models import Invitation
from postern.foundation.caller.actor import Actor
from postern.foundation.database.batches import delete_in_batches
from postern.kernel import clock

#: A link that is shown late, or an answer that comes late, is told apart for so long from one that never was.
_KEEP: Final = timedelta(days=90)


def forget_old(*, actor: Actor) -> int:
    """Delete set-password links and invitations that expired long ago; returns how many. Harmless to repeat."""
    del actor  # nothing that anybody could ask about later is lost, so there is nothing to audit
    border = clock.now() - _KEEP
    links = SetPasswordLink.objects.filter(date_expired__lte=border)
    return delete_in_batches(links) + delete_in_batches(Invitation.objects.filter(date_expired__lte=border))
