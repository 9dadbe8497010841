"""The first factor with a provider that authenticates people. Later steps are those of all sign-ins."""

from uuid import UUID

from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.external.actions.signing_in import DeviceOf
from postern.apps.authn.external.errors import OFF, OTHER_SOURCE, ExternalLapsed, ExternalRefused
from postern.apps.authn.external.models import ExternalRequest
from postern.apps.authn.federation import arrivals
from postern.apps.authn.federation.mapping import ProviderData, provider_data_from
from postern.apps.authn.federation.models import FederatedIdentity, FederatedProvider
from postern.apps.authn.lock_out import guard
from postern.apps.authn.sign_in import ways
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.sign_in.actions.sign_in import Attempted, Proof
from postern.apps.users import facade as users
from postern.apps.users.models import Source, User
from postern.foundation.phrases import sentence_from
from postern.kernel import clock
from postern.kernel.errors import PosternError
from postern.kernel.ids import token_hash


def backend_of(kind: str, slug: str) -> str:
    """The name of a provider in logs and sign-ins."""
    return f"{kind}:{slug}"


def session_hash(provider_id: UUID, sid: str) -> str:
    """The stored form of a session at a provider."""
    return token_hash(f"{provider_id}\n{sid}") if sid else ""


def prove(
    provider: FederatedProvider | None,
    source: Source,
    visit: ExternalRequest,
    *,
    remote_addr: str,
    user_agent: str,
    device_of: DeviceOf,
) -> Proof:
    """The user of a finished visit. Raises a SignInRefused; the login log records each refusal.

    `provider`: the provider of the visit; None when it was deleted meanwhile. Users with an unmet condition are
    admitted, because only the console signs in this way.
    """
    data = provider_data_from(visit.details)
    attempted = Attempted(
        username=data.username or visit.subject,
        remote_addr=remote_addr,
        login_type="W",
        backend=backend_of(visit.provider, provider.slug) if provider is not None else visit.provider,
        user_agent=user_agent,
    )
    try:
        if visit.refusal is not None:
            raise ExternalRefused(sentence_from(visit.refusal))
        if not visit.subject:  # the process was killed while it waited for the provider
            raise ExternalLapsed
        if provider is None or not provider.is_active or not ways.is_open(visit.provider):
            raise ExternalRefused(OFF.say(provider=provider.name if provider is not None else visit.provider))
        user = _user(provider, source, visit, data)
        guard.require_open(user.username, remote_addr, device=device_of(user.username))
        sign_in.require_open_account(user, remote_addr=remote_addr, may_be_unmet=True)
        user = _followed(provider, user, data)
    except SignInRefused as refused:
        sign_in.refuse(attempted, refused)
        raise
    attempted = Attempted(
        username=user.username,
        remote_addr=remote_addr,
        login_type="W",
        backend=attempted.backend,
        user_agent=user_agent,
    )
    sid = str(visit.details.get("provider_session", ""))
    return Proof(user=user, attempted=attempted, provider_session=sid)


def hold(visit: ExternalRequest, proof: Proof, source: Source) -> bool:
    """Whether the identity still belongs to the user and the user is unchanged. Locks both until the transaction ends.

    A concurrent sign-out at the provider also locks the user first: it ran before and has ended the visit, or waits and
    then ends the new sign-in.
    """
    if users.hold_epoch(proof.user.pk) != proof.user.session_epoch:
        return False
    if ExternalRequest.objects.filter(pk=visit.pk, date_signed_out__isnull=False).exists():
        return False
    owned = FederatedIdentity.objects.filter(user=proof.user, source=source, issuer=visit.tenant, subject=visit.subject)
    return owned.update(date_last_used=clock.now()) == 1


def _user(provider: FederatedProvider, source: Source, visit: ExternalRequest, data: ProviderData) -> User:
    user = arrivals.user_with_identity(source, visit.tenant, visit.subject)
    if user is None:
        return arrivals.admit(provider, source, visit.tenant, visit.subject, data)
    if user.source != source:
        raise ExternalRefused(OTHER_SOURCE.say(provider=provider.name))
    return user


def _followed(provider: FederatedProvider, user: User, data: ProviderData) -> User:
    try:
        return arrivals.follow(provider, user, data)
    except PosternError as error:  # a sign-in must not keep rights that the provider has withdrawn
        raise ExternalRefused(error.sentence) from None
