"""Issues links, for super administrators only, because a link signs in another user."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn.errors import console_address
from postern.apps.authn.sso_links.errors import NoLinkFor, SsoClosed, TooManyLinks
from postern.apps.authn.sso_links.models import SsoLink
from postern.apps.authn.sso_links.policy import LinkRefusal, link_refusal
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.errors import NotAllowed
from postern.kernel.ids import new_token, token_hash
from postern.kernel.secret import Secret

#: Maximum number of unused links of one maker. A portal makes a link when a person clicks, so few are unused.
MOST_OF_MAKER: Final = 500
#: Maximum number of unused links for one user, who may click several times.
MOST_OF_USER: Final = 10
_PATH: Final = "/api/v1/authentication/sso/login/"
_RETRY_AFTER_S: Final = 60


@dataclass(frozen=True, slots=True)
class Issued:
    """A new link. Its key is not stored."""

    link: SsoLink
    key: Secret = field(repr=False)

    def address(self) -> str:
        """The link in the form of the contract, below the address of the settings."""
        query = urlencode({"authkey": self.key.reveal(), "next": self.link.target})
        return f"{console_address().rstrip('/')}{_PATH}?{query}"


def issue(*, actor: Actor, username: str, target: str) -> Issued:
    """Issue a link that signs in the user of this name and redirects to `target`, a path of the console.

    Raises SsoClosed, NoLinkFor, TooManyLinks. Refusals by NoLinkFor for an existing user are audited.
    """
    if not actor.is_super_user or actor.user_id is None or actor.epoch is None:
        raise NotAllowed(_("Only super administrators make SSO links."))
    if not preferences.get_bool("AUTH_SSO"):
        raise SsoClosed
    user = User.objects.named(username)
    if user is None:
        raise NoLinkFor(_("There is no user with this username."))
    why_not = link_refusal_of(user)
    if why_not is not None:
        _refuse(actor, user, why_not)
    return _issue(actor, user, target)


def link_refusal_of(user: User) -> LinkRefusal | None:
    """The reason why there are no links for this user, by their current roles."""
    return link_refusal(user, [role for row in users.org_roles_of(user.pk) for role in row.roles])


@transaction.atomic
def _issue(actor: Actor, user: User, target: str) -> Issued:
    # Locks maker and user, so that the counts below stay right, and serialises with a reset of either.
    row = users.hold(actor, user)
    why_not = link_refusal_of(row)
    if why_not is not None or actor.user_id is None or actor.epoch is None:
        raise NoLinkFor(_reason(why_not or LinkRefusal.CLOSED))
    now, key = clock.now(), new_token()
    waiting = SsoLink.objects.filter(date_used__isnull=True, date_expired__gt=now)
    of_maker = waiting.filter(maker_id=actor.user_id).count()
    if of_maker >= MOST_OF_MAKER or waiting.filter(user=row).count() >= MOST_OF_USER:
        raise TooManyLinks(_RETRY_AFTER_S)
    link = SsoLink.objects.create(
        user=row,
        key_hash=token_hash(key),
        epoch=row.session_epoch,
        target=target,
        maker_id=actor.user_id,
        maker_epoch=actor.epoch,
        credential=actor.credential or "",
        created_by=actor.label,
        date_created=now,
        date_expired=now + timedelta(seconds=preferences.get_int("AUTH_SSO_AUTHKEY_TTL")),
    )
    new = {"user": str(row), "next": target, "date_expired": link.date_expired}
    _record(actor, row, audits.Event.SSO_LINK_ISSUED, new)
    return Issued(link, Secret(key))


def _refuse(actor: Actor, user: User, why_not: LinkRefusal) -> None:
    with transaction.atomic():
        _record(actor, user, audits.Event.SSO_LINK_REFUSED, {"user": str(user), "reason": why_not.value})
    raise NoLinkFor(_reason(why_not))


def _record(actor: Actor, user: User, event: audits.Event, new: dict[str, object]) -> None:
    audits.record_change(
        actor=actor,
        action="other",
        target=user,
        event=event,
        new=new,
    )


def _reason(why_not: LinkRefusal) -> str:
    match why_not:
        case LinkRefusal.CLOSED:
            return _("This user is disabled or has expired.")
        case LinkRefusal.OTHER_SOURCE:
            return _("This user signs in at their directory or provider. SSO links are for local users only.")
        case LinkRefusal.SERVICE:
            return _("There are no SSO links for service accounts. They use access keys and SSH keys only.")
        case LinkRefusal.ROLE:
            return _("There are no SSO links for administrators and auditors. They sign in themselves.")
