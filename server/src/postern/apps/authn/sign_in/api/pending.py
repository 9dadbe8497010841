"""The pending sign-in of a browser session."""

from dataclasses import replace
from typing import Any, Final

from django.http import HttpRequest
from django.middleware.csrf import rotate_token
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.request import Request

from postern.apps.authn.callers.policy import password_is_due
from postern.apps.authn.passkeys.queries import is_usable
from postern.apps.authn.second_factors.models import PendingSignIn, SignInWay
from postern.apps.authn.second_factors.queries import has_device, recovery_codes_left
from postern.apps.authn.sign_in.actions import second_factor
from postern.apps.authn.sign_in.actions.second_factor import Demand
from postern.apps.authn.sign_in.actions.sign_in import Proof
from postern.apps.authn.sign_in.api import trust_cookie, web_session
from postern.apps.users.models import User
from postern.kernel import clock
from postern.kernel.ids import parse_id

CHALLENGE_PATH: Final = "/api/v1/authentication/mfa/challenge/"
ENROL_PATH: Final = "/api/v1/authentication/otp/enrol/start/"
#: Session keys of the id. A browser sign-in starts an empty session; a token sign-in keeps the content of the session.
_ENTRIES: Final = {SignInWay.WEB: "pending_sign_in", SignInWay.TOKEN: "pending_token"}
_NEXT: Final = "pending_next"
#: Instructions by the first choice.
_WHAT_TO_DO: Final = {
    "passkey": gettext_lazy("Confirm with your passkey."),
    "code": gettext_lazy("Enter the code of your authenticator app."),
    "recovery": gettext_lazy("Enter a recovery code."),
    "": gettext_lazy(
        "Your passkeys were made for another address of the console, and you have no other second factor. Ask an "
        "administrator to reset it."
    ),
}


def begin_web(request: HttpRequest, proof: Proof, *, target: str) -> None:
    """Store the first factor in a new session without data of an earlier user (K27: an unfinished sign-in belongs to
    one person).
    """
    begun = second_factor.begin(proof, SignInWay.WEB)
    session: Any = request.session
    session.flush()
    session[_ENTRIES[SignInWay.WEB]] = str(begun.pending.pk)
    session[_NEXT] = target
    session.set_expiry(int(second_factor.LIFETIME.total_seconds()))
    rotate_token(request)


def begin_token(request: HttpRequest, proof: Proof) -> None:
    """Store the first factor of a token's sign-in. A browser sign-in in the same session is not changed."""
    begun = second_factor.begin(proof, SignInWay.TOKEN)
    request.session[_ENTRIES[SignInWay.TOKEN]] = str(begun.pending.pk)


def current(request: Request, way: SignInWay) -> PendingSignIn | None:
    """The pending sign-in of this way in the request's session."""
    entry = request._request.session.get(_ENTRIES[way])  # noqa: SLF001 - sessions belong to Django's request
    pending_id = parse_id(entry) if isinstance(entry, str) else None
    return second_factor.find(pending_id, way) if pending_id else None


def forget_token(request: Request) -> None:
    """Remove a token's sign-in from the session."""
    request._request.session.pop(_ENTRIES[SignInWay.TOKEN], None)  # noqa: SLF001 - as above


def finish_web(request: Request, pending: PendingSignIn, *, trusts: bool = False) -> dict[str, Any]:
    """Sign the user in. The response tells the console where to go. Raises a `SignInRefused`.

    `trusts`: the user wants to trust this browser at the second factor.
    """
    django_request = request._request  # noqa: SLF001 - as above
    target = str(django_request.session.get(_NEXT) or "")
    with second_factor.completing(pending, may_be_unmet=True) as proof:
        origin = replace(web_session.origin_of(request), mfa=True, backend=proof.attempted.backend)
        user = web_session.sign_in(django_request, proof, origin)
        if trusts:
            trust_cookie.begin(request, user)
    return {"msg": "ok", **after_sign_in(user, target)}


def after_sign_in(user: User, target: str) -> dict[str, Any]:
    """The console's next step."""
    return {"next": target, "must_change_password": password_is_due(user, now=clock.now())}


def demand_body(user: User, demand: Demand, *, takes_passkeys: bool) -> dict[str, Any]:
    """The response to a right first factor (contract): the required factor, and where to send it.

    `choices` begins with the easiest factor of the user.
    """
    if demand is Demand.ENROLMENT:
        return {
            "error": "mfa_unset",
            "msg": _("Your account requires MFA. Set up a second factor to continue."),
            "data": {"choices": [], "url": ENROL_PATH},
        }
    choices = [
        *(["passkey"] if takes_passkeys and is_usable(user.pk) else []),
        *(["code"] if has_device(user.pk) else []),
        *(["recovery"] if recovery_codes_left(user.pk) else []),
    ]
    return {
        "error": "mfa_required",
        "msg": str(_WHAT_TO_DO[choices[0] if choices else ""]),
        "data": {"choices": choices, "url": CHALLENGE_PATH},
    }
