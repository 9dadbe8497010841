"""Ends credentials of a user: the kinds chosen with a password change, or all kinds."""

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
    """End the chosen kinds (`credentials.CHOICES`); returns the number of ended credentials per kind.

    The caller has locked the user's row.
    """
    ended = credentials.end(actor, user, kinds)
    if ended:
        _tell(actor, user, audits.Event.USER_CREDENTIALS_ENDED, ended)
    return ended


@transaction.atomic
def reset_access(*, actor: Actor, scope: OrgScope, user: User) -> tuple[IssuedLink | None, dict[str, int]]:
    """End everything that was opened or created with a suspected account, in one transaction.

    The password becomes void. If Postern stores the password, the user can set a new password with the returned link.
    """
    require_another(actor, user)
    row = hold(actor, user)
    ended = credentials.end(actor, row)
    link = None
    # Without a local password there is no link, but the epoch voids sessions and tokens in both cases.
    if row.is_local:
        link = issue_set_password_link(actor=actor, user=row, void_password=True, scope=scope, recorded=False)
    else:
        User.objects.filter(pk=row.pk).update(session_epoch=row.session_epoch + 1)
    _tell(actor, row, audits.Event.USER_ACCESS_RESET, ended)
    return link, ended


def _tell(actor: Actor, user: User, event: audits.Event, ended: dict[str, int]) -> None:
    trail.record(actor, event, user, {name: trail.Change(number, 0) for name, number in ended.items()}, action="update")
    if "public_keys" in ended:
        events.publish(PublicKeysChanged(user_id=user.pk, username=user.username))
