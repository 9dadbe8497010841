"""Subscriptions of permissions: every event that may change access becomes one `AccessChanged`."""

from typing import Final

from postern.apps.assets.tree.events import AssetsChanged
from postern.apps.perms.application_permissions import actions as application_actions
from postern.apps.perms.granting.events import AccessChanged
from postern.apps.perms.permissions import actions
from postern.apps.users.groups.events import GroupsChanged
from postern.apps.users.memberships.events import MembershipChanged
from postern.apps.vault.system_users.events import SystemUsersChanged
from postern.foundation.bus import events
from postern.foundation.bus.events import after_commit, in_the_write


def _tell(event: AssetsChanged | SystemUsersChanged | GroupsChanged) -> None:
    events.publish(AccessChanged(org_id=event.org_id))


def _member_leaves(event: MembershipChanged) -> None:
    if event.removed:
        actions.forget_user(actor=event.by, user_id=event.user_id, org_id=event.org_id)
        application_actions.forget_user(actor=event.by, user_id=event.user_id, org_id=event.org_id)


def _member_changed(event: MembershipChanged) -> None:
    events.publish(AccessChanged(org_id=event.org_id))


SUBSCRIPTIONS: Final = (
    after_commit(AssetsChanged, _tell),
    after_commit(SystemUsersChanged, _tell),
    after_commit(GroupsChanged, _tell),
    # In the transaction of the leaving: a grant that survived a crash in between would be valid again when the user
    # rejoins.
    in_the_write(MembershipChanged, _member_leaves),
    after_commit(MembershipChanged, _member_changed),
)
