"""Links with which people set their own password. A link does not outlive the reason for which it was made (K35).

It is void when the person's role, password, source or state changes, and when its maker may not change the person any more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NoReturn

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts import trail
from postern.apps.users.accounts.errors import FieldProblem
from postern.apps.users.accounts.holding import hold
from postern.apps.users.accounts.models import Membership, SystemRole, User
from postern.apps.users.accounts.policy import may_update
from postern.apps.users.accounts.queries import administered_org_ids, subject_of
from postern.apps.users.credentials.actions.passwords import (
    NewPassword,
    prepare,
    require_another,
    require_local,
    store_prepared,
)
from postern.apps.users.credentials.errors import LinkUsed
from postern.apps.users.credentials.events import PasswordChanged
from postern.apps.users.credentials.kinds import void_links
from postern.apps.users.credentials.models import SetPasswordLink
from postern.contracts.enums import RoleBits
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor, ActorKind
from postern.foundation.caller.scope import ROOT, OrgScope
from postern.kernel import clock
from postern.kernel.ids import new_token, token_hash
from postern.kernel.secret import Secret

LINK_LIFETIME: Final = timedelta(days=1)
_ADMIN: Final = RoleBits.ADMIN | RoleBits.AUDIT | RoleBits.USE


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """A set-password link just made. The token is known here and to whoever receives it, nowhere else."""

    token: Secret
    expires_at: datetime


@transaction.atomic
def issue_set_password_link(
    *, actor: Actor, user: User, void_password: bool, scope: OrgScope = ROOT, told: bool = True
) -> IssuedLink:
    """Make a link with which the person sets a password; earlier links stop working.

    `void_password`: the present password stops working now, and everything opened with it ends. `scope`: the organization in
    which the actor acts. `told` False: the caller's own record tells of it.
    """
    require_another(actor, user)
    row = hold(actor, user)
    require_local(row)
    now, token = clock.now(), new_token()
    void_links(user)
    if void_password:
        row.set_unusable_password()
        row.session_epoch += 1
        row.save(update_fields=["password", "session_epoch"])
        user.password, user.session_epoch = row.password, row.session_epoch  # what the caller answers with
        events.publish(PasswordChanged(user_id=user.pk, username=user.username, by_self=False))
    link = SetPasswordLink.objects.create(
        user=user,
        token_hash=token_hash(token),
        created_by=actor.label[:128],
        maker_id=actor.user_id,
        by_system=actor.kind is ActorKind.SYSTEM,
        org_id=scope.org_id,
        standing=standing_of(row),
        date_expired=now + LINK_LIFETIME,
    )
    if told:
        trail.record(actor, audits.Event.USER_SET_PASSWORD_LINK_ISSUED, user, action="other")
    return IssuedLink(token=Secret(token), expires_at=link.date_expired)


def read_link(token: str) -> tuple[User | None, bool]:
    """The person for whom a link was made, and whether it works now."""
    link = SetPasswordLink.objects.select_related("user").filter(token_hash=token_hash(token)).first()
    return (link.user, _holds(link, link.user)) if link is not None else (None, False)


def redeem_set_password_link(
    *, actor: Actor, token: str, password: str, redeemed: Callable[[User], None] | None = None
) -> User:
    """Set a password with a link. The link works once; unknown, used, void and expired ones get the same answer.

    `redeemed`: what else is stored in the same transaction, about the person as they are then.
    """
    link = SetPasswordLink.objects.select_related("user").filter(token_hash=token_hash(token)).first()
    if link is None:
        raise LinkUsed
    if not _holds(link, link.user):
        _refuse(actor, link)
    try:
        new = prepare(link.user, password, field="new_password")
    except FieldProblem:
        # Meanwhile the same link may have set this very password: then it is the link that is refused, not the password.
        if not SetPasswordLink.objects.filter(pk=link.pk, date_used__isnull=True).exists():
            _refuse(actor, link)
        raise
    user = _redeem(actor, link, new, redeemed)
    return user if user is not None else _refuse(actor, link)


@transaction.atomic
def _redeem(
    actor: Actor, link: SetPasswordLink, new: NewPassword, redeemed: Callable[[User], None] | None
) -> User | None:
    # Under the lock that every change of the person takes: nobody is promoted between the look and the write.
    user = User.objects.select_for_update().get(pk=link.user_id)
    unused = SetPasswordLink.objects.filter(pk=link.pk, date_used__isnull=True, date_voided__isnull=True)
    if not _holds(link, user) or unused.update(date_used=clock.now()) != 1:
        return None
    store_prepared(actor=actor, row=user, new=new, by_self=True)
    if redeemed is not None:
        redeemed(user)
    return user


def standing_of(user: User) -> str:
    """A digest of what a link relies on: roles, source, state and password of the person."""
    roles = Membership.objects.filter(user_id=user.pk).order_by("org_id", "role").values_list("org_id", "role")
    parts = [user.role, user.source, user.is_valid, user.session_epoch, user.password, *(f"{o}:{r}" for o, r in roles)]
    return token_hash("|".join(str(part) for part in parts))


def _holds(link: SetPasswordLink, user: User) -> bool:
    if link.date_used is not None or link.date_voided is not None or link.date_expired <= clock.now():
        return False
    return user.is_local and user.is_valid and link.standing == standing_of(user) and _maker_may(link, user)


def _maker_may(link: SetPasswordLink, user: User) -> bool:
    """Whether the maker, as they are now, may still change the person as the person is now."""
    if link.by_system:
        return True
    maker = User.objects.valid().filter(pk=link.maker_id).first() if link.maker_id is not None else None
    if maker is None or link.org_id is None or maker.pk == user.pk:
        return False
    scope, bits = OrgScope(link.org_id), RoleBits.USE
    administers = Membership.objects.filter(user=maker, org_id=link.org_id, role=OrgRole.ADMIN)
    if maker.role == SystemRole.ADMIN:
        bits |= RoleBits.SUPER | _ADMIN
    elif administers.exists():
        bits |= _ADMIN
    actor = Actor(kind=ActorKind.USER, user_id=maker.pk, username=maker.username, bits=bits)
    return may_update(actor, subject_of(user, scope, user.memberships.all(), administered_org_ids(actor)))


def _refuse(actor: Actor, link: SetPasswordLink) -> NoReturn:
    """Audit that somebody tried a link of this person which does not work, and raise LinkUsed."""
    with transaction.atomic():
        trail.record(actor, audits.Event.USER_SET_PASSWORD_LINK_REFUSED, link.user, action="other")
    raise LinkUsed
