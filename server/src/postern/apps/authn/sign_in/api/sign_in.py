"""Sign-in and sign-out with the console, bearer tokens, set-password links."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from rest_framework import serializers, status
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.authn.credentials.actions.login_sessions import SignInOrigin, find_to_end, sign_out
from postern.apps.authn.credentials.actions.tokens import issue_token, revoke_token
from postern.apps.authn.credentials.models import BearerToken, LoginSession
from postern.apps.authn.known_places import places
from postern.apps.authn.lock_out import guard
from postern.apps.authn.puzzles.demand import require_before_sign_in
from postern.apps.authn.puzzles.serializers import SolutionSerializer, solution_in
from postern.apps.authn.second_factors.errors import MfaUnset
from postern.apps.authn.second_factors.models import SignInWay
from postern.apps.authn.sign_in.actions import second_factor, sign_in
from postern.apps.authn.sign_in.actions.second_factor import Demand
from postern.apps.authn.sign_in.actions.sign_in import MfaState, Proof
from postern.apps.authn.sign_in.api import device_cookie, pending, trust_cookie, web_session
from postern.apps.authn.sign_in.api.device_cookie import DeviceCookieView
from postern.apps.authn.sign_in.provider_logout import LOGOUT_ADDRESS_OF
from postern.apps.rbac import facade as rbac
from postern.apps.users import facade as users
from postern.apps.users.credentials.errors import LinkUsed
from postern.apps.users.credentials.passwords import MAX_PASSWORD_CHARS
from postern.apps.users.models import User
from postern.foundation.caller.actor import anonymous
from postern.foundation.caller.scope import ROOT
from postern.foundation.pages.pages import open_page
from postern.foundation.pages.redirects import safe_next
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

LOGIN_PAGE = "/core/auth/login/"
HOME_PAGE = "/ui/"
_MAX_TEXT_CHARS = 1_024


class SignInSerializer(BodySerializer):
    """Name and password. The limits are high, so that an overlong password is reported as wrong, not as malformed."""

    username = serializers.CharField(max_length=_MAX_TEXT_CHARS)
    password = serializers.CharField(max_length=_MAX_TEXT_CHARS, trim_whitespace=False, write_only=True)
    next = serializers.CharField(max_length=2_048, required=False, allow_blank=True)


class BrowserSignInSerializer(SignInSerializer):
    puzzle = SolutionSerializer(required=False)


class SignInView(DeviceCookieView):
    """`GET` sets the CSRF cookie; `POST {username, password, next?, puzzle?}` opens a login session.

    Returns `{"next": "/ui/…", "must_change_password": bool}`, or 400 `{"error": slug, "msg": text}`. When a second
    factor is required, the response is 200 `{"error": "mfa_required" | "mfa_unset", "msg", "data": {"choices",
    "url"}}`, and the user is not signed in yet.

    After a recent failure, the response is 400 `{"error": "puzzle_required", "msg", "puzzle"}`, and nothing was
    compared. The same request with the solution (`puzzle: {token, number}`, see `puzzles.puzzle`) is then accepted
    once.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def get(self, request: Request) -> Response:
        get_token(request._request)  # noqa: SLF001 - sets the cookie on Django's request
        return Response({"authenticated": self.actor.is_user})

    def post(self, request: Request) -> Response:
        # DRF checks the CSRF token only for signed-in users. Without this check another site could sign a user in.
        SessionAuthentication().enforce_csrf(request)
        body = body_of(request, BrowserSignInSerializer)
        origin = web_session.origin_of(request)
        visitor = device_cookie.visitor_of(request, body["username"])
        require_before_sign_in(body["username"], visitor, solution_in(body))
        proof = sign_in.prove_password(
            username=body["username"],
            password=body["password"],
            remote_addr=origin.remote_addr,
            login_type="W",
            user_agent=origin.user_agent,
            device=visitor.device,
            may_be_unmet=True,
        )
        target = safe_next(body.get("next") or "", HOME_PAGE)
        end_previous(request._request)  # noqa: SLF001 - sessions belong to Django's request
        return Response(after_first_factor(request, proof, origin, target))


class SignOutView(PosternView):
    """`POST` ends the login session (or revokes the bearer token) of the call. Signing out twice is not an error.

    `next`: the address for signing out at the provider; missing for most users.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def post(self, request: Request) -> Response:
        django_request = request._request  # noqa: SLF001 - sessions belong to Django's request
        if isinstance(request.auth, LoginSession):
            sign_out(actor=self.actor, login_session=request.auth)
            web_session.forget(django_request)
            logout_address = LOGOUT_ADDRESS_OF.value(request.auth)
            if logout_address:
                return Response({"msg": "ok", "next": logout_address})
        elif isinstance(request.auth, BearerToken):
            revoke_token(actor=self.actor, token=request.auth)
        elif request.auth is None and find_to_end(django_request.session) is not None:
            SessionAuthentication().enforce_csrf(request)
            end_previous(django_request)
            web_session.forget(django_request)
        return Response({"msg": "ok"})


class TokenView(PosternView):
    """`POST {username, password}` → 201 `{"token", "keyword": "Bearer", "date_expired", "user"}`.

    Contract: authentication/auth/ and tokens/. Refusals are 400 `{"error": slug, "msg": text}`. When a second factor is
    required, the response is 200 `{"error": "mfa_required", …}`. The client then sends the code to mfa/challenge/ and
    repeats this call, both with the cookie of that response. Otherwise no session is involved.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False
    authentication_classes = ()

    def post(self, request: Request) -> Response:
        body = body_of(request, SignInSerializer)
        origin = web_session.origin_of(request)
        proof = sign_in.prove_password(
            username=body["username"],
            password=body["password"],
            remote_addr=origin.remote_addr,
            login_type="T" if request.headers.get("X-JMS-LOGIN-TYPE") == "T" else "W",
            user_agent=origin.user_agent,
            device=device_cookie.visitor_of(request, body["username"]).device,
        )
        demand = second_factor.demand_of(proof.user)
        if demand is Demand.ENROLMENT:
            unset = MfaUnset()
            sign_in.refuse(proof.attempted, unset, mfa=MfaState.SHOWN)
            raise unset
        if demand is Demand.CODE:
            passed = pending.current(request, SignInWay.TOKEN)
            if passed is None or passed.user_id != proof.user.pk or passed.date_passed is None:
                pending.begin_token(request._request, proof)  # noqa: SLF001 - sessions belong to Django's request
                return Response(pending.demand_body(proof.user, demand, takes_passkeys=False))
            pending.forget_token(request)
            with second_factor.completing(passed, may_be_unmet=False) as completed:
                return _new_token(completed, origin.remote_addr, with_code=True)
        return _new_token(proof, origin.remote_addr, with_code=False)


@transaction.atomic
def _new_token(proof: Proof, remote_addr: str, *, with_code: bool) -> Response:
    """Sign the user in with a new bearer token."""
    user = sign_in.signed_in(proof, mfa=MfaState.SHOWN if with_code else MfaState.OFF)
    actor = actor_of_user(user, rbac.rights_of(user, ROOT), remote_addr=remote_addr, login_session=None)
    issued = issue_token(actor=actor, user=user, remote_addr=remote_addr, mfa=with_code)
    body = {
        "token": issued.token.reveal(),
        "keyword": "Bearer",
        "date_expired": serializers.DateTimeField().to_representation(issued.expires_at),
        "user": {"id": str(user.pk), "username": user.username, "name": user.name, "role": user.role},
    }
    return Response(body, status=status.HTTP_201_CREATED)


class SetPasswordSerializer(BodySerializer):
    token = serializers.CharField(max_length=128, write_only=True)
    new_password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False, write_only=True)


class SetPasswordView(DeviceCookieView):
    """`POST {token, new_password}`: a user sets their password with a one-time link.

    Locks do not refuse a valid link: links cannot be guessed, and a lock caused by strangers would keep the owner out.
    The link was sent to the owner, so this browser and this address become known places.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def post(self, request: Request) -> Response:
        SessionAuthentication().enforce_csrf(request)
        body = body_of(request, SetPasswordSerializer)
        remote_addr = request.META.get("REMOTE_ADDR", "")
        owner, works = users.read_link(body["token"])
        if not works:  # not a guess at the user's password, so it counts only for the address
            guard.reserve_address(remote_addr)
        if owner is None:
            raise LinkUsed

        def remember_place(person: User) -> None:
            places.remember_address(person, remote_addr)
            device_cookie.remember(request._request, person)  # noqa: SLF001 - where the view looks for it

        users.redeem_set_password_link(
            actor=anonymous(remote_addr),
            token=body["token"],
            password=body["new_password"],
            redeemed=remember_place,
        )
        return Response({"msg": _("The password is set. Sign in with it.")})


def after_first_factor(request: Request, proof: Proof, origin: SignInOrigin, target: str) -> dict[str, Any]:
    """Sign the user in, or tell the console which second factor is still required in this browser."""
    django_request = request._request  # noqa: SLF001 - sessions belong to Django's request
    demand = second_factor.demand_of(proof.user, takes_passkeys=True)
    if demand is Demand.CODE:
        with transaction.atomic():
            if trust_cookie.use(request, proof.user):
                user = web_session.sign_in(django_request, proof, replace(origin, mfa=True, by_trust=True))
                return pending.after_sign_in(user, target)
    if demand is not Demand.NOTHING:
        pending.begin_web(django_request, proof, target=target)
        return pending.demand_body(proof.user, demand, takes_passkeys=True)
    user = web_session.sign_in(django_request, proof, origin)
    return pending.after_sign_in(user, target)


def end_previous(request: HttpRequest) -> None:
    """Sign out the user who was signed in with this browser before, also when the sign-in is suspended."""
    previous = find_to_end(request.session)
    if previous is None:
        return
    rights = rbac.rights_of(previous.user, ROOT)
    actor = actor_of_user(
        previous.user, rights, remote_addr=request.META.get("REMOTE_ADDR"), login_session=str(previous.pk)
    )
    sign_out(actor=actor, login_session=previous)


@open_page
@require_safe
def logout_page(request: HttpRequest) -> HttpResponse:
    """`GET /core/auth/logout/?next=`: ends the login session and redirects to the sign-in page.

    Links on other sites cannot sign users out (K64: GETs of the contract that act need the CSRF token too). The browser
    reports the origin of a navigation; only our own pages and the address bar are accepted. Over plain http (except
    loopback) browsers do not report it; there the SameSite attribute of the cookie protects.
    """
    target = safe_next(request.GET.get("next", ""), HOME_PAGE)
    login_session = find_to_end(request.session)
    if login_session is not None:
        origin = request.headers.get("Sec-Fetch-Site", "cross-site" if settings.POSTERN.https else "none")
        if origin not in {"same-origin", "none"}:
            return HttpResponseRedirect(HOME_PAGE)
        end_previous(request)
        web_session.forget(request)
        logout_address = LOGOUT_ADDRESS_OF.value(login_session)
        if logout_address:
            return HttpResponseRedirect(logout_address)
    get_token(request)
    return HttpResponseRedirect(_login_page_for(target))


def _login_page_for(target: str) -> str:
    return LOGIN_PAGE if target == HOME_PAGE else f"{LOGIN_PAGE}?{urlencode({'next': target})}"
