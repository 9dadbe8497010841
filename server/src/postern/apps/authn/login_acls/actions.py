"""Writes of login ACLs.

A rule about a user requires the right to change that user. Only super administrators can change rules about themselves,
unless the change would refuse them at their current address.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.authn.login_acls import deciding
from postern.apps.authn.login_acls.errors import OthersOnly, RuleRefused, ShutsYouOut
from postern.apps.authn.login_acls.models import LoginAcl
from postern.apps.users.accounts.holding import hold_changeable
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope

#: Maximum number of rules about one user, to keep them understandable.
MOST_RULES: Final = 100
_RECORDED: Final = ("name", "priority", "ip_group", "hours", "action", "is_active", "comment")


@transaction.atomic
def create_login_acl(*, actor: Actor, scope: OrgScope, values: Mapping[str, Any]) -> LoginAcl:
    """Create a rule about `values["user"]`. Raises AboveYou, RuleRefused."""
    user = _hold(actor, scope, values["user"])
    if LoginAcl.objects.filter(user=user).count() >= MOST_RULES:
        raise RuleRefused("user", _("A person can have at most %(number)d login ACLs.") % {"number": MOST_RULES})
    acl = LoginAcl(created_by=actor.label, **values)
    acl.save(force_insert=True)
    _require_own_admission(actor, user)
    new = {"user": str(user), **{name: getattr(acl, name) for name in _RECORDED}}
    audits.record_change(actor=actor, action="create", target=acl, new=new)
    return acl


@transaction.atomic
def update_login_acl(*, actor: Actor, scope: OrgScope, acl: LoginAcl, values: Mapping[str, Any]) -> LoginAcl:
    """Change a rule. Its user cannot be changed. Raises AboveYou, RuleRefused."""
    user = _hold(actor, scope, acl.user)
    acl = LoginAcl.objects.select_related("user").select_for_update(no_key=True, of=("self",)).get(pk=acl.pk)
    if values.get("user", user).pk != user.pk:
        raise RuleRefused("user", _("A login ACL stays with its person. Make a new one for another person."))
    old, new = recorded.assign(acl, {name: value for name, value in values.items() if name != "user"})
    if not new:
        return acl
    acl.save()
    _require_own_admission(actor, user)
    audits.record_change(actor=actor, action="update", target=acl, old=old, new=new)
    return acl


@transaction.atomic
def delete_login_acl(*, actor: Actor, scope: OrgScope, acl: LoginAcl) -> None:
    """Delete a rule. Raises AboveYou, RuleRefused."""
    user = _hold(actor, scope, acl.user)
    old = {"user": str(user), **{name: getattr(acl, name) for name in _RECORDED}}
    recorded.delete_row(actor=actor, row=acl, old=old)
    _require_own_admission(actor, user)


@transaction.atomic
def switch_off_all(*, actor: Actor, user: User) -> int:
    """Switch off all rules about a user; returns their number. For the command line."""
    rules = list(LoginAcl.objects.select_for_update(no_key=True).filter(user=user, is_active=True))
    for acl in rules:
        acl.is_active = False
        acl.save()
        change = {"is_active": False}
        audits.record_change(actor=actor, action="update", target=acl, old={"is_active": True}, new=change)
    return len(rules)


def _hold(actor: Actor, scope: OrgScope, user: User) -> User:
    user = hold_changeable(actor, scope, user)
    if not actor.is_super_user and user.pk == actor.user_id:
        raise OthersOnly
    return user


def _require_own_admission(actor: Actor, user: User) -> None:
    """Require that the actor is still admitted. Deleting a rule can also lock them out, because the next rule decides
    then.
    """
    if user.pk == actor.user_id and not deciding.is_admitted(user.pk, actor.remote_addr):
        raise ShutsYouOut(actor.remote_addr or "")
