"""What the vault does together with other apps."""

from postern.apps.users.events import MembershipChanged
from postern.apps.vault.actions import system_users
from postern.foundation import events


def subscribe() -> None:
    """Register the handlers; called once, when the apps are ready."""
    events.take_part(MembershipChanged, _member_leaves)


def _member_leaves(event: MembershipChanged) -> None:
    if event.removed:
        system_users.forget_user(actor=event.by, user_id=event.user_id, org_id=event.org_id)
