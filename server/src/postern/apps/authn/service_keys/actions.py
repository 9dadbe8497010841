"""Writes of access keys that administrators make for service accounts.

A key gives all rights of its account, so its writes require the right to change the account. A service account cannot
write its own keys, so that a stolen key cannot be used to make another key.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import recorded
from postern.apps.authn.credentials import callers
from postern.apps.authn.credentials.actions.tokens import IssuedKey, change_key, make_key
from postern.apps.authn.credentials.events import CredentialsEnded
from postern.apps.authn.credentials.models import AccessKey
from postern.apps.authn.service_keys.errors import NotOfServiceAccount, OtherAccount
from postern.apps.users.accounts.holding import hold_changeable
from postern.apps.users.accounts.service_accounts import refuse_itself
from postern.apps.users.models import User
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


@transaction.atomic
def create_key(*, actor: Actor, scope: OrgScope, values: Mapping[str, Any]) -> IssuedKey:
    """Create a key of the service account `values["user"]`. Raises AboveYou, NotOfServiceAccount, TooManyAccessKeys."""
    user = _hold(actor, scope, values["user"])
    return make_key(
        actor=actor,
        user=user,
        comment=values.get("comment", ""),
        date_expired=values.get("date_expired"),
        is_active=values.get("is_active", True),
    )


@transaction.atomic
def update_key(*, actor: Actor, scope: OrgScope, key: AccessKey, values: Mapping[str, Any]) -> AccessKey:
    """Change comment, end or state of a key. A key that is switched off is refused at once. Raises AboveYou,
    OtherAccount.
    """
    user = _hold(actor, scope, key.user)
    key = AccessKey.objects.select_related("user").select_for_update(of=("self",)).get(pk=key.pk)
    if values.get("user", user).pk != user.pk:
        raise OtherAccount
    return change_key(actor=actor, key=key, values=values)


@transaction.atomic
def delete_key(*, actor: Actor, scope: OrgScope, key: AccessKey) -> None:
    """Delete a key; what it opened ends. Raises AboveYou."""
    _hold(actor, scope, key.user)
    ended = _event(key)
    old = {"user": str(key.user), "comment": key.comment, "is_active": key.is_active, "date_expired": key.date_expired}
    recorded.delete_row(actor=actor, row=key, old=old)
    events.publish(ended)


def _hold(actor: Actor, scope: OrgScope, user: User) -> User:
    row = hold_changeable(actor, scope, user)
    if not row.is_service_account:
        raise NotOfServiceAccount("user", _("People make their access keys themselves. Choose a service account."))
    refuse_itself(actor, row)
    return row


def _event(key: AccessKey) -> CredentialsEnded:
    return CredentialsEnded(user_id=key.user_id, credentials=frozenset({callers.name_of_key(key.pk)}))
