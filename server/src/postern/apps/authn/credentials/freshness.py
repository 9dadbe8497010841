"""Requires a recent second factor for the most sensitive views."""

from datetime import timedelta

from rest_framework.request import Request

from postern.apps.authn.credentials.errors import MfaVerifyRequired
from postern.apps.authn.credentials.models import BearerToken, LoginSession
from postern.apps.preferences import facade as preferences
from postern.kernel import clock


def require(request: Request) -> None:
    """Raise MfaVerifyRequired unless a code was entered in this session within SECURITY_MFA_VERIFY_TTL seconds.

    Sessions and bearer tokens can verify a code, access keys cannot. SECURITY_VIEW_AUTH_NEED_MFA switches the
    requirement off.
    """
    rules = preferences.get_many("SECURITY_VIEW_AUTH_NEED_MFA", "SECURITY_MFA_VERIFY_TTL")
    if not rules["SECURITY_VIEW_AUTH_NEED_MFA"]:
        return
    credential = request.auth
    verified = credential.date_mfa_verified if isinstance(credential, LoginSession | BearerToken) else None
    lifetime = timedelta(seconds=int(rules["SECURITY_MFA_VERIFY_TTL"] or 0))
    if verified is None or clock.now() - verified >= lifetime:
        raise MfaVerifyRequired
