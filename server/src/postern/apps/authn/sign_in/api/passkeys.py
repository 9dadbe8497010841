"""API of passkeys: sign-in, second factor, confirmation, and the user's own passkeys.

Each use has two calls. The first (`…/start/`) returns the `publicKey` argument for the browser, with the only address
(`origin`) at which browsers accept it, and stores a challenge for the session; the second takes the browser's answer as
`credential`.
"""

from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework import serializers, status
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.errors import MfaRefused
from postern.apps.authn.passkeys.actions import requests
from postern.apps.authn.passkeys.errors import PasskeyLapsed, text_of
from postern.apps.authn.passkeys.models import MAX_NAME_CHARS, Passkey, PasskeyPurpose
from postern.apps.authn.passkeys.queries import number_at, passkeys_of, present_site
from postern.apps.authn.second_factors.actions import mfa, passkeys
from postern.apps.authn.second_factors.actions.codes import refusals_audited
from postern.apps.authn.second_factors.errors import MfaNotSet
from postern.apps.authn.second_factors.models import SignInWay
from postern.apps.authn.second_factors.queries import has_factor
from postern.apps.authn.sign_in.actions import passkey_sign_in, second_factor
from postern.apps.authn.sign_in.api import passkey_cookie, pending, web_session
from postern.apps.authn.sign_in.api.device_cookie import DeviceCookieView, visitor_of
from postern.apps.authn.sign_in.api.mfa import CodeRefused, EnrolView, PersonalView, require_shown
from postern.apps.authn.sign_in.api.sign_in import HOME_PAGE, end_previous
from postern.apps.authn.sign_in.confirmed import can_confirm, require_confirmed
from postern.apps.authn.sign_in.errors import SignInLapsed
from postern.apps.users.models import User
from postern.foundation.pages.redirects import safe_next
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import NotFound
from postern.kernel.ids import parse_id

#: Session key of the open WebAuthn request. A new request replaces it.
_ENTRY: Final = "passkey_request"


class CredentialSerializer(BodySerializer):
    """The browser's answer, as `PublicKeyCredential.toJSON` writes it."""

    credential = serializers.DictField(write_only=True)


class SignInCredentialSerializer(CredentialSerializer):
    next = serializers.CharField(max_length=2_048, required=False, allow_blank=True)


class ChallengeCredentialSerializer(CredentialSerializer):
    trust = serializers.BooleanField(default=False)


class NameSerializer(BodySerializer):
    name = PlainField(max_length=MAX_NAME_CHARS)


class NewPasskeySerializer(CredentialSerializer):
    name = PlainField(max_length=MAX_NAME_CHARS)


class PasskeySerializer(serializers.ModelSerializer[Passkey]):
    """`is_usable`: it was made for the current host name of the console."""

    is_usable = serializers.SerializerMethodField()

    class Meta:
        model = Passkey
        fields = ("id", "name", "rp_id", "is_usable", "date_created", "date_last_used")
        read_only_fields = fields

    def get_is_usable(self, passkey: Passkey) -> bool:
        return bool(passkey.rp_id == self.context["rp_id"])


def _options_response(begun: requests.Begun) -> Response:
    return Response({"publicKey": begun.options, "origin": present_site().origin})


def _remember(request: Request, begun: requests.Begun) -> Response:
    request._request.session[_ENTRY] = str(begun.id)  # noqa: SLF001 - sessions belong to Django's request
    return _options_response(begun)


def _take(request: HttpRequest, purpose: PasskeyPurpose, user: User | None) -> bytes:
    entry = request.session.pop(_ENTRY, None)
    return requests.take(parse_id(entry) if isinstance(entry, str) else None, purpose, user)


def _address(request: Request) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))


class PasskeySignInStartView(PosternView):
    """`POST authentication/passkeys/sign-in/start/` → `{"publicKey", "origin"}`: any passkey of this site, with its
    PIN.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def post(self, request: Request) -> Response:
        SessionAuthentication().enforce_csrf(request)
        begun = requests.begin_assertion(PasskeyPurpose.SIGN_IN, None, remote_addr=_address(request))
        response = _options_response(begun)
        passkey_cookie.put(response, begun.id)
        return response


class PasskeySignInView(DeviceCookieView):
    """`POST authentication/passkeys/sign-in/ {"credential", "next"?}`: a sign-in without name and password.

    The responses are those of `authentication/sign-in/`. No second factor is required.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def post(self, request: Request) -> Response:
        SessionAuthentication().enforce_csrf(request)
        body = body_of(request, SignInCredentialSerializer)
        django_request = request._request  # noqa: SLF001 - sessions belong to Django's request
        challenge = requests.take(passkey_cookie.of(django_request), PasskeyPurpose.SIGN_IN, None)
        origin = web_session.origin_of(request)
        by_passkey = passkey_sign_in.prove(
            body["credential"],
            challenge=challenge,
            remote_addr=origin.remote_addr,
            user_agent=origin.user_agent,
            visitor_of=lambda username: visitor_of(request, username),
        )
        end_previous(django_request)
        with transaction.atomic():
            if not passkey_sign_in.hold(by_passkey):
                raise PasskeyLapsed
            came_by = replace(origin, mfa=True, backend=passkey_sign_in.BACKEND)
            user = web_session.sign_in(django_request, by_passkey.proof, came_by)
        response = Response(pending.after_sign_in(user, safe_next(body.get("next") or "", HOME_PAGE)))
        passkey_cookie.remove(response)
        return response


class PasskeyChallengeStartView(PosternView):
    """`POST authentication/passkeys/challenge/start/` → `{"publicKey", "origin"}`, for the pending sign-in of this
    browser.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False
    authentication_classes = ()

    def post(self, request: Request) -> Response:
        SessionAuthentication().enforce_csrf(request)
        web = pending.current(request, SignInWay.WEB)
        if web is None:
            raise SignInLapsed
        return _remember(
            request, requests.begin_assertion(PasskeyPurpose.SECOND_FACTOR, web.user, remote_addr=_address(request))
        )


class PasskeyChallengeView(DeviceCookieView):
    """`POST authentication/passkeys/challenge/ {"credential", "trust"?}`: the second factor of the pending sign-in.

    The responses are those of `authentication/mfa/challenge/`.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False
    authentication_classes = ()

    def post(self, request: Request) -> Response:
        SessionAuthentication().enforce_csrf(request)
        body = body_of(request, ChallengeCredentialSerializer)
        web = pending.current(request, SignInWay.WEB)
        if web is None:
            raise SignInLapsed
        challenge = _take(request._request, PasskeyPurpose.SECOND_FACTOR, web.user)  # noqa: SLF001 - as above
        second_factor.answer_with_passkey(
            web, answer=body["credential"], challenge=challenge, visitor=visitor_of(request, web.user.username)
        )
        return Response(pending.finish_web(request, web, trusts=body["trust"]))


class PasskeyVerifyStartView(PersonalView):
    """`POST authentication/passkeys/verify/start/` → `{"publicKey", "origin"}`."""

    def post(self, request: Request) -> Response:
        user = self.person(request)
        if self.login_session(request) is None:
            raise MfaNotSet
        return _remember(request, requests.begin_assertion(PasskeyPurpose.VERIFY, user, remote_addr=_address(request)))


class PasskeyVerifyView(PersonalView):
    """`POST authentication/passkeys/verify/ {"credential"}` → `{"ok": "1"}`, as a code at `authentication/otp/verify/`."""

    def post(self, request: Request) -> Response:
        user, login_session = self.person(request), self.login_session(request)
        if login_session is None:
            raise MfaNotSet
        body = body_of(request, CredentialSerializer)
        try:
            challenge = _take(request._request, PasskeyPurpose.VERIFY, user)  # noqa: SLF001 - as above
            with refusals_audited(actor=self.actor, user=user):
                visitor = visitor_of(request, user.username)
                passkeys.take_passkey(user=user, answer=body["credential"], challenge=challenge, visitor=visitor)
        except MfaRefused as refused:
            raise CodeRefused(refused) from None
        mfa.note_verified(actor=self.actor, user=user, credential=login_session)
        return Response({"ok": "1"})


class PasskeyEnrolStartView(EnrolView):
    """`POST authentication/passkeys/enrol/start/` → `{"publicKey", "origin"}`.

    Requires a password entered within five minutes and, from a user with a second factor, that factor. During a sign-in
    that requires a second factor, a user without a second factor needs neither.
    """

    def post(self, request: Request) -> Response:
        user, _actor, _pending = self.enrolling_user(request)
        if has_factor(user.pk):
            require_shown(request)
        return _remember(request, requests.begin_registration(user, remote_addr=_address(request)))


class PasskeyEnrolConfirmView(EnrolView):
    """`POST authentication/passkeys/enrol/confirm/ {"credential", "name"}` → `{"passkey", "recovery_codes"}`.

    If it is the first second factor, the response has new recovery codes, shown once. During a sign-in it also
    completes the sign-in; the response then has `next` and `must_change_password` too.
    """

    answers = {"post": Answer(201, schema=ANY_OBJECT)}

    def post(self, request: Request) -> Response:
        user, actor, pending_sign_in = self.enrolling_user(request)
        if has_factor(user.pk):
            require_shown(request)
        body = body_of(request, NewPasskeySerializer)
        challenge = _take(request._request, PasskeyPurpose.ENROL, user)  # noqa: SLF001 - as above
        keep = request.auth if isinstance(request.auth, LoginSession) else None
        with second_factor.enrolling(pending_sign_in):
            try:
                passkey, codes = passkeys.add(
                    actor=actor, user=user, name=body["name"], answer=body["credential"], challenge=challenge, keep=keep
                )
            except MfaRefused as refused:
                raise CodeRefused(refused) from None
            if pending_sign_in is not None:
                second_factor.enrolled(pending_sign_in)
        answer: dict[str, Any] = {
            "passkey": PasskeySerializer(passkey, context={"rp_id": passkey.rp_id}).data,
            "recovery_codes": [code.reveal() for code in codes],
        }
        if pending_sign_in is not None:
            answer |= pending.finish_web(request, pending_sign_in)
        return Response(answer, status=status.HTTP_201_CREATED)


class OwnPasskeysView(PersonalView):
    """`GET authentication/passkeys/` → `{"results", "origin", "problem", "limit"}`.

    `origin`: the only address at which passkeys work. `problem`: why they cannot work at that address; "" if they can.
    """

    def get(self, request: Request) -> Response:
        site, rows = present_site(), passkeys_of(self.person(request).pk)
        return Response(
            {
                "results": PasskeySerializer(rows, many=True, context={"rp_id": site.rp_id}).data,
                "origin": site.origin,
                "problem": text_of(site),
                "limit": passkeys.MAX_PASSKEYS,
            }
        )


class OwnPasskeyView(PersonalView):
    """`authentication/passkeys/{id}/`: PATCH `{"name"}` renames, DELETE removes.

    Removing a passkey requires a second factor shown in this sign-in, because the passkey may be the only factor, and a
    password or a confirmation at the provider within five minutes.
    """

    def patch(self, request: Request, passkey_id: UUID) -> Response:
        passkey = self._own(request, passkey_id)
        name = body_of(request, NameSerializer)["name"]
        changed = passkeys.rename(actor=self.actor, passkey=passkey, name=name)
        return Response(PasskeySerializer(changed, context={"rp_id": present_site().rp_id}).data)

    def delete(self, request: Request, passkey_id: UUID) -> Response:
        passkey = self._own(request, passkey_id)
        if can_confirm(passkey.user):
            require_confirmed(request.auth, passkey.user)
        require_shown(request)
        passkeys.remove(actor=self.actor, passkey=passkey, keep=self.login_session(request))
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _own(self, request: Request, passkey_id: UUID) -> Passkey:
        passkey = Passkey.objects.select_related("user").filter(pk=passkey_id, user=self.person(request)).first()
        if passkey is None:
            raise NotFound(_("This passkey does not exist."))
        return passkey


class PasskeysInUseView(PosternView):
    """`GET authentication/passkeys/in-use/` → `{"host", "number"}`: the number of passkeys that a change of the host
    name would void.
    """

    rights = Right.SUPER_USER
    always_root = True

    def get(self, request: Request) -> Response:
        del request
        host = present_site().rp_id
        return Response({"host": host, "number": number_at(host)})
