"""The first factor with a provider: identifies the user who has bound the account. Later steps are those of all
sign-ins.
"""

from collections.abc import Callable

from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.external import providers
from postern.apps.authn.external.errors import (
    NOT_FOLLOWED,
    OFF,
    OTHER_SOURCE,
    ExternalLapsed,
    ExternalNotBound,
    ExternalRefused,
)
from postern.apps.authn.external.models import ExternalAccount, ExternalRequest, Provider
from postern.apps.authn.external.queries import account_of
from postern.apps.authn.lock_out import guard
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.sign_in.actions.sign_in import Attempted, Proof
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.users.models import Source, User
from postern.foundation.phrases import sentence_from
from postern.kernel import clock

#: The value of the device cookie for a user name.
DeviceOf = Callable[[str], str]


def prove(visit: ExternalRequest, *, remote_addr: str, user_agent: str, device_of: DeviceOf) -> Proof:
    """The user who bound the account of a finished visit. Raises a SignInRefused; the login log records each refusal.

    Users with an unmet condition are admitted, because only the console signs in this way.
    """
    provider = Provider(visit.provider)
    account = account_of(provider, visit.tenant, visit.subject) if visit.subject else None
    attempted = Attempted(
        username=account.user.username if account is not None else visit.subject,
        remote_addr=remote_addr,
        login_type="W",
        backend=provider.value,
        user_agent=user_agent,
    )
    try:
        if visit.refusal is not None:
            raise ExternalRefused(sentence_from(visit.refusal))
        if not visit.subject:  # the process was killed while it waited for the provider
            raise ExternalLapsed
        if not providers.is_on(provider):
            raise ExternalRefused(OFF.say(provider=str(provider.label)))
        if account is None:
            raise ExternalNotBound(str(provider.label))
        _require_fitting_source(account.user, provider)
        guard.require_open(account.user.username, remote_addr, device=device_of(account.user.username))
        sign_in.require_open_account(account.user, remote_addr=remote_addr, may_be_unmet=True)
    except SignInRefused as refused:
        sign_in.refuse(attempted, refused)
        raise
    return Proof(user=account.user, attempted=attempted)


def _require_fitting_source(user: User, provider: Provider) -> None:
    """Require that Postern knows whether the account is active; an account of another source may be disabled there."""
    if user.source == Source.LDAP and not _directory_is_followed():
        raise ExternalRefused(NOT_FOLLOWED.say())
    if user.source not in {Source.LOCAL, Source.LDAP}:
        raise ExternalRefused(OTHER_SOURCE.say(provider=str(provider.label)))


def _directory_is_followed() -> bool:
    """Whether synchronisation disables users whom the directory has disabled."""
    return preferences.get_bool("AUTH_LDAP") and preferences.get_bool("AUTH_LDAP_SYNC")


def hold_bound(visit: ExternalRequest, proof: Proof) -> bool:
    """Whether the account is still bound and the user is unchanged. Locks both until the transaction ends.

    A concurrent unbinding also locks the user first: it ran before, or waits and then ends the new sign-in.
    """
    if users.hold_epoch(proof.user.pk) != proof.user.session_epoch:
        return False
    bound = ExternalAccount.objects.filter(
        user=proof.user, provider=visit.provider, tenant=visit.tenant, subject=visit.subject
    )
    return bound.update(date_last_used=clock.now()) == 1
