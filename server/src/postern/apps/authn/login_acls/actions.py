"""Writes of login ACLs.

A rule about a person needs the right to change that person. Nobody changes the rules about themselves, except super
administrators, who cannot shut themselves out from where they are.
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

#: More rules than this about one person cannot be understood by anybody.
MOST_RULES: Final = 100
_RECORDED: Final = ("name", "priority", "ip_group", "hours", "action", "is_active", "comment")


@transaction.atomic
def create_login_acl(*, actor: Actor, scope: OrgScope, values: Mapping[str, Any]) -> LoginAcl:
    """Make a rule about `values["user"]`. Raises AboveYou, RuleRefused."""
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
    """Change a rule, which stays with its person. Raises AboveYou, RuleRefused."""
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
    """Switch off every rule about a person, for the command line; returns their number."""
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
    """Deleting a rule can shut out too: the next rule then decides."""
    if user.pk == actor.user_id and not deciding.is_admitted(user.pk, actor.remote_addr):
        raise ShutsYouOut(actor.remote_addr or "")
