"""Calls about accounts at external providers: sign in, bind, unbind, and the check of FeiShu's event subscription."""

from collections.abc import Collection
from dataclasses import replace
from typing import ClassVar, Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.credentials.actions.login_sessions import SignInOrigin
from postern.apps.authn.external.actions import binding, signing_in, visits
from postern.apps.authn.external.actions.signing_in import DeviceOf
from postern.apps.authn.external.api import visit_cookie
from postern.apps.authn.external.errors import ExternalLapsed
from postern.apps.authn.external.models import ExternalRequest, Provider, Purpose
from postern.apps.authn.sign_in.actions.sign_in import Proof
from postern.apps.authn.sign_in.api import device_cookie, web_session
from postern.apps.authn.sign_in.api.device_cookie import DeviceCookieView
from postern.apps.authn.sign_in.api.mfa import PersonalView
from postern.apps.authn.sign_in.api.sign_in import HOME_PAGE, after_first_factor, end_previous
from postern.apps.authn.sign_in.confirmed import require_confirmed
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.foundation.pages.redirects import safe_next
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import NotAllowed
from postern.kernel.ids import parse_id, same

_MOST_TOKEN_CHARS: Final = 1024


class VisitSerializer(BodySerializer):
    """The id of a redeemed visit, from the address of the page."""

    id = PlainField(max_length=64)


def finished_visit(request: Request, purpose: Purpose, kinds: Collection[str]) -> ExternalRequest:
    """Use the visit in the body, once, in the browser that began it. Raises ExternalLapsed."""
    return visits.finish(
        request_id=parse_id(body_of(request, VisitSerializer)["id"]),
        browser=visit_cookie.of(request._request),  # noqa: SLF001 - cookies belong to Django's request
        purpose=purpose,
        kinds=kinds,
    )


class ExternalSignInView(DeviceCookieView):
    """`POST {"id"}`: sign in as the user who has bound the account of a visit.

    Responses and second factor are those of `authentication/sign-in/`.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False
    #: The kinds of providers whose visits this view accepts.
    kinds: ClassVar[Collection[str]] = tuple(Provider)

    def post(self, request: Request) -> Response:
        SessionAuthentication().enforce_csrf(request)
        visit = finished_visit(request, Purpose.SIGN_IN, self.kinds)
        origin = web_session.origin_of(request)
        proof = self.prove(visit, origin, lambda username: device_cookie.visitor_of(request, username).device)
        end_previous(request._request)  # noqa: SLF001 - sessions belong to Django's request
        with transaction.atomic():
            if not self.hold(visit, proof):
                raise ExternalLapsed
            came_by = replace(origin, backend=proof.attempted.backend)
            body = after_first_factor(request, proof, came_by, safe_next(visit.target, HOME_PAGE))
        response = Response(body)
        visit_cookie.remove(response)
        return response

    def prove(self, visit: ExternalRequest, origin: SignInOrigin, device_of: DeviceOf) -> Proof:
        """The user of the visit. Raises a SignInRefused, which the login log records."""
        return signing_in.prove(
            visit, remote_addr=origin.remote_addr, user_agent=origin.user_agent, device_of=device_of
        )

    def hold(self, visit: ExternalRequest, proof: Proof) -> bool:
        """Whether the user may still sign in this way. Locks the user until the transaction ends."""
        return signing_in.hold_bound(visit, proof)


class ExternalBindView(PersonalView):
    """`POST {"id"}`: bind the account of a visit to the calling user → `{"msg", "next"}`."""

    open_before_confirmation = False
    answers = {"post": Answer(schema=texts("msg", "next"))}

    def post(self, request: Request) -> Response:
        user, login_session = self.person(request), self.login_session(request)
        if login_session is None:
            raise ExternalLapsed
        visit = finished_visit(request, Purpose.BIND, tuple(Provider))
        account = binding.bind(actor=self.actor, user=user, login_session=login_session, visit=visit)
        provider = Provider(account.provider)
        text = _("Your %(provider)s account is bound. You can sign in with it now.") % {"provider": provider.label}
        response = Response({"msg": text, "next": safe_next(visit.target, "")})
        visit_cookie.remove(response)
        return response


class OwnUnbindView(PersonalView):
    """`POST authentication/{provider}/qr/unbind/`: needs a password verified within five minutes."""

    open_before_confirmation = False
    answers = {"post": Answer(schema=texts("msg"))}

    def post(self, request: Request, provider: Provider) -> Response:
        user = self.person(request)
        require_confirmed(request.auth, user)
        binding.unbind(actor=self.actor, user=user, provider=provider, keep=self.login_session(request))
        return _unbound(provider)


class UnbindView(PosternView):
    """`POST authentication/{provider}/qr/unbind/{user_id}/`: an administrator unbinds the account of a user.

    Requires the right to change the user. Unbinding an own account requires the password, as on the profile page.
    """

    rights = Right.ORG_ADMIN
    answers = {"post": Answer(schema=texts("msg"))}

    def post(self, request: Request, provider: Provider, user_id: UUID) -> Response:
        user = users.changeable(self.actor, self.scope, user_id)
        if user.pk == self.actor.user_id:
            require_confirmed(request.auth, user)
        with transaction.atomic():
            users.hold_changeable(self.actor, self.scope, user)
            binding.unbind(actor=self.actor, user=user, provider=provider)
        return _unbound(provider)


def _unbound(provider: Provider) -> Response:
    return Response({"msg": _("The %(provider)s account is unbound.") % {"provider": provider.label}})


class FeishuEventsView(PosternView):
    """`POST authentication/feishu/event/subscription/callback/`: FeiShu checks the request URL of a subscription.

    Returns the challenge if the request has the verification token of the settings. Refuses all other requests, because
    Postern subscribes to no events.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False
    authentication_classes = ()
    answers = {"post": Answer(schema=texts("challenge"))}

    def post(self, request: Request) -> Response:
        body = request.data if isinstance(request.data, dict) else {}
        token, challenge = body.get("token"), body.get("challenge")
        expected = preferences.get_secret("FEISHU_VERIFICATION_TOKEN")
        is_check = body.get("type") == "url_verification" and isinstance(token, str) and isinstance(challenge, str)
        if not is_check or expected is None or not same(str(token), expected.reveal()):
            raise NotAllowed(_("Only the check of the request URL with the verification token is answered."))
        return Response({"challenge": str(challenge)[:_MOST_TOKEN_CHARS]})
