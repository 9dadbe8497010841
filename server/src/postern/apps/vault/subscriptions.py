"""Subscriptions of the vault to events of other apps."""

from typing import Final

from postern.apps.assets.tree.events import AssetsChanged
from postern.apps.users.memberships.events import MembershipChanged
from postern.apps.vault.system_users import actions as system_users
from postern.apps.vault.system_users.bindings import COMPARE_ACCOUNTS
from postern.foundation.bus import waking
from postern.foundation.bus.events import in_the_write


def _member_leaves(event: MembershipChanged) -> None:
    if event.removed:
        system_users.forget_user(actor=event.by, user_id=event.user_id, org_id=event.org_id)


def _assets_changed(_event: AssetsChanged) -> None:
    waking.wake_after_commit(COMPARE_ACCOUNTS)


SUBSCRIPTIONS: Final = (
    in_the_write(MembershipChanged, _member_leaves),
    in_the_write(AssetsChanged, _assets_changed),
)
