"""Ending what a person holds: what is chosen at a change of the password, or everything in one act."""

from collections.abc import Collection

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.users.accounts import trail
from postern.apps.users.accounts.holding import hold
from postern.apps.users.accounts.models import User
from postern.apps.users.credentials import kinds as credentials
from postern.apps.users.credentials.actions.links import IssuedLink, issue_set_password_link
from postern.apps.users.credentials.actions.passwords import require_another
from postern.apps.users.credentials.events import PublicKeysChanged
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


@transaction.atomic
def end_chosen(*, actor: Actor, user: User, kinds: Collection[str]) -> dict[str, int]:
    """End the chosen kinds (`credentials.CHOICES`); answers how many of each ended. The caller has locked the person's row."""
    ended = credentials.end(actor, user, kinds)
    if ended:
        _tell(actor, user, audits.Event.USER_CREDENTIALS_ENDED, ended)
    return ended


@transaction.atomic
def reset_access(*, actor: Actor, scope: OrgScope, user: User) -> tuple[IssuedLink | None, dict[str, int]]:
    """The account is suspected to be in wrong hands: end everything that was opened or made with it, in one act.

    The password stops working; the link, where Postern keeps the password, lets the person set a new one.
    """
    require_another(actor, user)
    row = hold(actor, user)
    ended = credentials.end(actor, row)
    link = None
    # Sessions and tokens of an account without a password of ours are void by the epoch as well.
    if row.is_local:
        link = issue_set_password_link(actor=actor, user=row, void_password=True, scope=scope, told=False)
    else:
        User.objects.filter(pk=row.pk).update(session_epoch=row.session_epoch + 1)
    _tell(actor, row, audits.Event.USER_ACCESS_RESET, ended)
    return link, ended


def _tell(actor: Actor, user: User, event: audits.Event, ended: dict[str, int]) -> None:
    trail.record(actor, event, user, {name: trail.Change(number, 0) for name, number in ended.items()}, action="update")
    if "public_keys" in ended:
        events.publish(PublicKeysChanged(user_id=user.pk, username=user.username))
