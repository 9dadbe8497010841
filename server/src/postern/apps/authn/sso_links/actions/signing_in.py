"""The first factor with a link: the system that made it vouches for the user. Later steps are those of all sign-ins."""

from collections.abc import Callable
from dataclasses import dataclass

from postern.apps.authn.credentials import callers
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.lock_out import guard
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.sign_in.actions.sign_in import Attempted, Proof
from postern.apps.authn.sso_links.actions.issuing import link_refusal_of
from postern.apps.authn.sso_links.errors import SsoLinksOff, SsoLinkUsed
from postern.apps.authn.sso_links.models import SsoLink
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.users.models import SystemRole, User
from postern.kernel import clock
from postern.kernel.ids import token_hash

#: The authentication backend in the login log, and of the login session.
BACKEND = "sso"


@dataclass(frozen=True, slots=True)
class LinkProof:
    """A used link and its user, whose account may be used."""

    proof: Proof
    target: str


def find(key: str) -> SsoLink | None:
    """The link with this key, whatever its state."""
    return SsoLink.objects.select_related("user").filter(key_hash=token_hash(key)).first()


def is_waiting(link: SsoLink) -> bool:
    """Whether the link was not used and has not expired."""
    return link.date_used is None and link.date_expired > clock.now()


def prove(link: SsoLink | None, *, remote_addr: str, user_agent: str, device_of: Callable[[str], str]) -> LinkProof:
    """Use up a link. Raises a SignInRefused; the login log records each refusal.

    Users with an unmet condition are admitted, because only the console signs in this way. `device_of`: the value of
    the device cookie for a username.
    """
    attempted = Attempted(
        username=link.user.username if link is not None else "",
        remote_addr=remote_addr,
        login_type="W",
        backend=BACKEND,
        user_agent=user_agent,
    )
    try:
        if link is None:  # not a guess at an account, so it counts only for the address
            guard.reserve_address(remote_addr)
            raise SsoLinkUsed
        if not preferences.get_bool("AUTH_SSO"):
            raise SsoLinksOff
        _use(link)
        user = _fit_user(link)
        guard.require_open(user.username, remote_addr, device=device_of(user.username))
        sign_in.require_open_account(user, remote_addr=remote_addr, may_be_unmet=True)
    except SignInRefused as refused:
        sign_in.refuse(attempted, refused)
        raise
    return LinkProof(Proof(user=user, attempted=attempted), link.target)


def hold(by_link: LinkProof) -> bool:
    """Whether a link is still allowed for the user. Locks the user until the transaction ends.

    Concurrent writes that end the access of a user or raise their role also lock them first: such a write ran before
    and is detected here, or waits and then ends the new sign-in.
    """
    user = by_link.proof.user
    if users.hold_epoch(user.pk) != user.session_epoch:
        return False
    return link_refusal_of(User.objects.get(pk=user.pk)) is None


def refuse(by_link: LinkProof) -> SignInRefused:
    """Record the refusal after `hold` returned False."""
    refused = SsoLinkUsed()
    sign_in.refuse(by_link.proof.attempted, refused)
    return refused


def _use(link: SsoLink) -> None:
    now = clock.now()
    unused = SsoLink.objects.filter(pk=link.pk, date_used__isnull=True, date_expired__gt=now)
    if unused.update(date_used=now) != 1:
        raise SsoLinkUsed


def _fit_user(link: SsoLink) -> User:
    user = User.objects.get(pk=link.user_id)
    if user.session_epoch != link.epoch or link_refusal_of(user) is not None or not _maker_may(link):
        raise SsoLinkUsed
    return user


def _maker_may(link: SsoLink) -> bool:
    """Whether the maker could still make this link with the same key or token."""
    makers = User.objects.valid().filter(pk=link.maker_id, role=SystemRole.ADMIN, session_epoch=link.maker_epoch)
    return makers.exists() and (not link.credential or bool(callers.holding_among([link.credential])))
