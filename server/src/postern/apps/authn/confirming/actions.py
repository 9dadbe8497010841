"""Confirms the identity of a signed-in user: their provider has just authenticated the same person again."""

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.confirming.errors import OFF, OTHER_PERSON, ConfirmationRefused
from postern.apps.authn.confirming.ways import way_of
from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.external.errors import ExternalLapsed
from postern.apps.authn.external.models import ExternalRequest
from postern.apps.authn.federation.models import FederatedIdentity
from postern.apps.authn.proxies.actions import proxy_sign_ins
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.phrases import sentence_from
from postern.kernel import clock


def confirm(*, actor: Actor, user: User, login_session: LoginSession, visit: ExternalRequest) -> None:
    """Confirm the identity in this sign-in; the effect and its duration are those of entering the password again.

    Raises ExternalLapsed for a visit of another sign-in, and ConfirmationRefused when the provider named nobody or
    another person. ConfirmationRefused is audited.
    """
    if visit.login_session_id != login_session.pk:
        raise ExternalLapsed
    try:
        _require_somebody(visit)
        _confirm(actor, user, login_session, visit)
    except ConfirmationRefused as refused:
        _note_refused(actor, user, visit, refused)
        raise


def _require_somebody(visit: ExternalRequest) -> None:
    if visit.refusal is not None:
        raise ConfirmationRefused(sentence_from(visit.refusal))
    if not visit.subject:  # the process was killed while it waited for the provider
        raise ExternalLapsed


@transaction.atomic
def _confirm(actor: Actor, user: User, login_session: LoginSession, visit: ExternalRequest) -> None:
    user = users.hold(actor, user)
    # A sign-out at the provider also locks the user first: it ran before, or ends this sign-in afterwards.
    if ExternalRequest.objects.filter(pk=visit.pk, date_signed_out__isnull=False).exists():
        raise ExternalLapsed
    way = way_of(user, login_session)
    if way is None or (way.kind, way.id) != (visit.provider, visit.way_id):
        raise ConfirmationRefused(OFF.say(provider=way.label if way is not None else visit.provider))
    named = FederatedIdentity.objects.filter(user=user, source=user.source, issuer=visit.tenant, subject=visit.subject)
    if not named.exists():
        raise ConfirmationRefused(OTHER_PERSON.say(provider=way.label))
    changes: dict[str, object] = {"date_password_verified": clock.now()}
    at_provider = str(visit.details.get("provider_session", ""))
    if at_provider and login_session.backend == way.backend:
        # Link the session at the provider, so that signing out on either side ends both sessions.
        changes["provider_session"] = at_provider
        if login_session.provider_session:
            proxy_sign_ins.follow_codes(user.pk, login_session.provider_session, at_provider)
    LoginSession.objects.filter(pk=login_session.pk).update(**changes)
    identity = {"provider": way.backend, "subject": visit.subject}
    audits.record_change(actor=actor, action="other", target=user, event=audits.Event.IDENTITY_CONFIRMED, new=identity)


@transaction.atomic
def _note_refused(actor: Actor, user: User, visit: ExternalRequest, refused: ConfirmationRefused) -> None:
    details = {"provider": visit.provider, "subject": visit.subject, "reason": refused.reason.code}
    audits.record_change(actor=actor, action="other", target=user, event=audits.Event.IDENTITY_REFUSED, new=details)
