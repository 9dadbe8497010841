"""Links with which users set their own password.

A link becomes void when the user's role, password, source, state or mail address changes, and when its creator may no longer change
the user (K35: nobody takes over an account that is beyond them).
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
from postern.apps.users.accounts.queries import administered_org_ids, org_roles_of, subject_of
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
    """A new set-password link. The token is returned once and not stored."""

    token: Secret
    expires_at: datetime


@transaction.atomic
def issue_set_password_link(
    *, actor: Actor, user: User, void_password: bool, scope: OrgScope = ROOT, recorded: bool = True
) -> IssuedLink:
    """Create a link with which the user sets a password; earlier links become void.

    `void_password`: the current password becomes void now, and everything opened with it ends. `scope`: the
    organization in which the actor acts. `recorded=False`: the caller writes the audit record itself.
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
        user.password, user.session_epoch = row.password, row.session_epoch  # the caller returns this object
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
    if recorded:
        trail.record(actor, audits.Event.USER_SET_PASSWORD_LINK_ISSUED, user, action="other")
    return IssuedLink(token=Secret(token), expires_at=link.date_expired)


def read_link(token: str) -> tuple[User | None, bool]:
    """The user of a link, and whether the link is valid now."""
    link = SetPasswordLink.objects.select_related("user").filter(token_hash=token_hash(token)).first()
    return (link.user, _holds(link, link.user)) if link is not None else (None, False)


def redeem_set_password_link(
    *, actor: Actor, token: str, password: str, redeemed: Callable[[User], None] | None = None
) -> User:
    """Set a password with a link. The link works once; unknown, used, void and expired links get the same answer.

    `redeemed`: called in the same transaction with the current user, to store more.
    """
    link = SetPasswordLink.objects.select_related("user").filter(token_hash=token_hash(token)).first()
    if link is None:
        raise LinkUsed
    if not _holds(link, link.user):
        _refuse(actor, link)
    try:
        new = prepare(link.user, password, field="new_password")
    except FieldProblem:
        # The same link may have set this password in the meantime. Then the link is refused, not the password.
        if not SetPasswordLink.objects.filter(pk=link.pk, date_used__isnull=True).exists():
            _refuse(actor, link)
        raise
    user = _redeem(actor, link, new, redeemed)
    return user if user is not None else _refuse(actor, link)


@transaction.atomic
def _redeem(
    actor: Actor, link: SetPasswordLink, new: NewPassword, redeemed: Callable[[User], None] | None
) -> User | None:
    # Under the lock that every change of a user takes, so that the user cannot be promoted between check and write.
    user = User.objects.select_for_update().get(pk=link.user_id)
    unused = SetPasswordLink.objects.filter(pk=link.pk, date_used__isnull=True, date_voided__isnull=True)
    if not _holds(link, user) or unused.update(date_used=clock.now()) != 1:
        return None
    store_prepared(actor=actor, row=user, new=new, by_self=True)
    if redeemed is not None:
        redeemed(user)
    return user


def standing_of(user: User) -> str:
    """A digest of the facts that a link relies on: roles, source, state, password and mail address of the user.

    The address, because the link may have been mailed to a mailbox that is no longer, or never was, that of the user.
    """
    roles = [f"{row.org_id}:{role}" for row in org_roles_of(user.pk) for role in sorted(row.roles)]
    parts = [user.role, user.source, user.is_valid, user.session_epoch, user.password, user.email, *roles]
    return token_hash("|".join(str(part) for part in parts))


def _holds(link: SetPasswordLink, user: User) -> bool:
    if link.date_used is not None or link.date_voided is not None or link.date_expired <= clock.now():
        return False
    return user.is_local and user.is_valid and link.standing == standing_of(user) and _maker_may(link, user)


def _maker_may(link: SetPasswordLink, user: User) -> bool:
    """Whether the creator may still change the user, with the current rights of both."""
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
    return may_update(actor, subject_of(user, scope, administered_org_ids(actor)))


def _refuse(actor: Actor, link: SetPasswordLink) -> NoReturn:
    """Audit an attempt to use an invalid link of this user, and raise LinkUsed."""
    with transaction.atomic():
        trail.record(actor, audits.Event.USER_SET_PASSWORD_LINK_REFUSED, link.user, action="other")
    raise LinkUsed
