"""Signing out on both sides: after signing out here, the browser is redirected to the provider; a provider reports that
a person signed out there (OpenID Connect RP-Initiated Logout, Back-Channel Logout).
"""

import threading
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.external.models import ExternalRequest
from postern.apps.authn.federation import arrivals
from postern.apps.authn.federation.signing_in import backend_of, session_hash
from postern.apps.authn.federation.signing_out import end_sign_ins, provider_of, taken_once
from postern.apps.authn.openid import addresses, queries
from postern.apps.authn.openid.models import OpenidProvider
from postern.apps.authn.openid.ways import KIND, calls
from postern.apps.authn.second_factors.models import PendingSignIn
from postern.apps.users import facade as users
from postern.apps.users.models import Source
from postern.integrations.openid import client as openid
from postern.integrations.openid import tokens
from postern.integrations.openid.metadata import metadata_of
from postern.integrations.openid.tokens import LoggedOut
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel import clock
from postern.kernel.errors import Unavailable
from postern.kernel.ids import token_hash

#: How long used logout tokens are remembered: longer than a token is accepted.
_JTI_S: Final = tokens.LOGOUT_AGE_S + 2 * tokens.LEEWAY_S
#: Concurrent reports in this process that wait for the keys of a provider.
_WAITING: Final = threading.BoundedSemaphore(2)


def logout_address(login_session: LoginSession) -> str:
    """The address for signing out at the provider of this sign-in; empty without one.

    The ID token is not stored, so the provider may ask the person to confirm.
    """
    row = provider_of(login_session, KIND, queries.PROVIDERS)
    if row is None or not row.signs_out:
        return ""
    try:
        endpoint = metadata_of(row.issuer, calls()).end_session
    except WebApiFailed:
        return ""  # signing out of Postern must not depend on the provider
    if endpoint is None:
        return ""
    query = {"client_id": row.client_id, "post_logout_redirect_uri": addresses.after_logout()}
    return openid.address(endpoint, query)


def note_signed_out(row: OpenidProvider, token: str) -> int:
    """Verify a logout token, once, and end the sign-ins that it names; returns their number.

    Raises WebApiFailed for an invalid token, Unavailable when the token cannot be verified now.
    """
    if not _WAITING.acquire(timeout=1.0):
        raise Unavailable(_("Too many reports at once. Try again in a moment."))
    try:
        web = calls()
        notice = tokens.logged_out(token, metadata_of(row.issuer, web), client_id=row.client_id, calls=web)
    finally:
        _WAITING.release()
    used = f"openid:logout:{row.pk}:{token_hash(notice.jti)}"
    with taken_once(used, _JTI_S, tokens.used_before):
        return _end(row, notice)


def _end(row: OpenidProvider, notice: LoggedOut) -> int:
    session, backend, now = session_hash(row.pk, notice.sid), backend_of(KIND, row.slug), clock.now()
    user_id = _person(row, notice, session)
    if user_id is not None:
        users.hold_epoch(user_id)  # serialises with a concurrent sign-in of this user
    visits = ExternalRequest.objects.filter(provider=KIND, way_id=row.pk)
    if notice.subject:
        visits = visits.filter(tenant=row.issuer, subject=notice.subject)
    if session and not notice.subject:
        visits = visits.filter(details__provider_session=session)
    visits.update(date_signed_out=now)
    if user_id is None:
        return 0
    # Include sign-ins without a known session at the provider, because the token may be about them.
    return end_sign_ins(user_id, backend, (session, "") if session else ())


def _person(row: OpenidProvider, notice: LoggedOut, session: str) -> UUID | None:
    if notice.subject:
        user = arrivals.user_with_identity(Source.OPENID, row.issuer, notice.subject)
        return user.pk if user is not None else None
    for rows in (LoginSession.objects.filter(date_ended__isnull=True), PendingSignIn.objects.all()):
        user_id: UUID | None = rows.filter(provider_session=session).values_list("user_id", flat=True).first()
        if user_id is not None:
            return user_id
    return None
