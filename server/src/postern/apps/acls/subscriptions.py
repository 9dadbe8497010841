"""Subscriptions of access control to events of other apps."""

from typing import Final

from postern.apps.acls.command_filters import actions
from postern.apps.users.memberships.events import MembershipChanged
from postern.foundation.bus.events import in_the_write


def _member_leaves(event: MembershipChanged) -> None:
    if event.removed:
        actions.forget_reviewer(actor=event.by, user_id=event.user_id, org_id=event.org_id)


SUBSCRIPTIONS: Final = (in_the_write(MembershipChanged, _member_leaves),)
