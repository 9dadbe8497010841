"""Signing out on both sides with the redirect binding: after signing out here, the browser is redirected to the
provider; the provider redirects browsers here with a signed request.
"""

import secrets
from typing import Final

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.external.models import ExternalRequest
from postern.apps.authn.federation import arrivals
from postern.apps.authn.federation.signing_in import backend_of
from postern.apps.authn.federation.signing_out import end_sign_ins, provider_of, taken_once
from postern.apps.authn.saml import addresses, queries
from postern.apps.authn.saml.models import SamlAnswer, SamlProvider
from postern.apps.authn.saml.ways import KIND, key_of
from postern.apps.users import facade as users
from postern.apps.users.models import Source
from postern.integrations.saml import certificates, failures, logout
from postern.integrations.saml.logout import Asked, Side
from postern.integrations.saml.names import SKEW_S
from postern.integrations.saml.responses import NameId
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel import clock
from postern.kernel.ids import token_hash

#: How long used requests are remembered: longer than a request is accepted.
_USED_S: Final = logout.AGE_S + 2 * SKEW_S


def logout_address(login_session: LoginSession) -> str:
    """The address for signing out at the provider of this sign-in; empty without one."""
    row = provider_of(login_session, KIND, queries.PROVIDERS)
    answer = queries.answer_of(row, login_session.provider_session) if row is not None else None
    if row is None or answer is None or not row.slo_url:
        return ""
    try:
        return logout.request_address(
            _side(row),
            NameId(**answer.name_id),
            answer.session,
            request_id=_message_id(),
            key=key_of(row),
            now=clock.now(),
        )
    except WebApiFailed:
        return ""  # signing out of Postern must not depend on the provider


def take_request(row: SamlProvider, query: str) -> str:
    """Verify a request in a raw query, once, and end the sign-ins that it names. Returns the address of the redirect
    with our response; empty when the provider expects none.

    Raises WebApiFailed for an invalid request, Unavailable when it cannot be verified now.
    """
    side, now = _side(row), clock.now()
    logout_request = logout.asked(query, side, now)
    used = f"saml:logout:{row.pk}:{token_hash(logout_request.id)}"
    with taken_once(used, _USED_S, failures.replayed):
        _end(row, logout_request)
    if not row.slo_url:
        return ""
    return logout.response_address(side, logout_request, response_id=_message_id(), key=key_of(row), now=now)


def _end(row: SamlProvider, logout_request: Asked) -> None:
    answers = queries.answers_about(row, logout_request.name, logout_request.sessions)
    by_user: dict[str, list[SamlAnswer]] = {}
    for answer in answers:
        by_user.setdefault(answer.subject, []).append(answer)
    backend, now = backend_of(KIND, row.slug), clock.now()
    for subject in sorted(by_user):
        marks = [answer.assertion_hash for answer in by_user[subject]]
        user = arrivals.user_with_identity(Source.SAML, row.idp_entity_id, subject)
        if user is not None:
            users.hold_epoch(user.pk)  # serialises with a concurrent sign-in of this user
        visits = ExternalRequest.objects.filter(provider=KIND, way_id=row.pk, details__provider_session__in=marks)
        visits.update(date_signed_out=now)
        if user is not None:
            end_sign_ins(user.pk, backend, marks)


def _side(row: SamlProvider) -> Side:
    return Side(
        issuer=row.idp_entity_id,
        address=row.slo_url,
        entity_id=addresses.entity_id(row.slug),
        own_address=addresses.logout(row.slug),
        certificates=certificates.from_text(row.certificates),
    )


def _message_id() -> str:
    return f"_{secrets.token_hex(20)}"
