"""Bind and unbind accounts at external providers."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn.credentials.actions.login_sessions import sign_out
from postern.apps.authn.credentials.models import LoginEnd, LoginSession
from postern.apps.authn.external.errors import AlreadyBound, BindingRefused, ExternalLapsed, NotBound
from postern.apps.authn.external.models import ExternalAccount, ExternalRequest, Provider
from postern.apps.authn.second_factors.models import PendingSignIn
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.phrases import said, sentence_from
from postern.kernel.errors import PosternError


def bind(*, actor: Actor, user: User, login_session: LoginSession, visit: ExternalRequest) -> ExternalAccount:
    """Bind the account of a finished visit of this sign-in.

    Raises ExternalLapsed for a visit of another sign-in, BindingRefused when the provider named nobody, AlreadyBound.
    BindingRefused and AlreadyBound are audited.
    """
    if visit.login_session_id != login_session.pk:
        raise ExternalLapsed
    provider = Provider(visit.provider)
    try:
        _require_somebody(visit)
        return _bind(actor, user, provider, visit)
    except (BindingRefused, AlreadyBound) as refused:
        _note_refused(actor, user, provider, visit, refused)
        raise


def _require_somebody(visit: ExternalRequest) -> None:
    if visit.refusal is not None:
        raise BindingRefused(said(sentence_from(visit.refusal)))
    if not visit.subject:  # the process was killed while it waited for the provider
        raise ExternalLapsed


@transaction.atomic
def _bind(actor: Actor, user: User, provider: Provider, visit: ExternalRequest) -> ExternalAccount:
    users.hold(actor, user)
    if ExternalAccount.objects.filter(user=user, provider=provider).exists():
        raise AlreadyBound(
            _("A %(provider)s account is bound already. Unbind it first.") % {"provider": provider.label}
        )
    try:
        with transaction.atomic():
            account = ExternalAccount.objects.create(
                user=user, provider=provider, tenant=visit.tenant, subject=visit.subject, name=visit.name
            )
    except IntegrityError:
        raise AlreadyBound(
            _("This %(provider)s account is bound to another user.") % {"provider": provider.label}
        ) from None
    _audit(actor, user, audits.Event.EXTERNAL_ACCOUNT_BOUND, account)
    return account


@transaction.atomic
def unbind(*, actor: Actor, user: User, provider: Provider, keep: LoginSession | None = None) -> None:
    """Unbind the user's account at a provider, and end its sign-ins except `keep`. Raises NotBound."""
    users.hold(actor, user)
    account = ExternalAccount.objects.select_for_update().filter(user=user, provider=provider).first()
    if account is None:
        raise NotBound(provider.value, str(provider.label))
    PendingSignIn.objects.filter(user=user, backend=provider, date_used__isnull=True).delete()
    made = LoginSession.objects.filter(user=user, backend=provider, date_ended__isnull=True).order_by("pk")
    ended = [row for row in made if keep is None or row.pk != keep.pk]
    account_id, audited = account.pk, ExternalAccount(**_columns(account))
    account.delete()
    for row in ended:
        sign_out(actor=actor, login_session=row, reason=_reason(actor, user))
    audited.pk = account_id
    _audit(actor, user, audits.Event.EXTERNAL_ACCOUNT_UNBOUND, audited)


def _reason(actor: Actor, user: User) -> LoginEnd:
    return LoginEnd.ENDED_BY_SELF if actor.user_id == user.pk else LoginEnd.ENDED_BY_ADMIN


def _columns(account: ExternalAccount) -> dict[str, str]:
    return {name: getattr(account, name) for name in ("provider", "tenant", "subject", "name")}


def _audit(actor: Actor, user: User, event: audits.Event, account: ExternalAccount) -> None:
    is_bound = event is audits.Event.EXTERNAL_ACCOUNT_BOUND
    audits.record_change(
        actor=actor,
        action="update",
        target=user,
        event=event,
        old=None if is_bound else _columns(account),
        new=_columns(account) if is_bound else None,
    )


@transaction.atomic
def _note_refused(actor: Actor, user: User, provider: Provider, visit: ExternalRequest, refused: PosternError) -> None:
    audits.record_change(
        actor=actor,
        action="other",
        target=user,
        event=audits.Event.EXTERNAL_BINDING_REFUSED,
        new={"provider": provider.value, "tenant": visit.tenant, "subject": visit.subject, "reason": refused.code},
    )
