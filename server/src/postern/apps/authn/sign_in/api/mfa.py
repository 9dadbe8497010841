"""API of the second factor: its step of a sign-in, set-up, changes, and verification in a session."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.authn.callers.policy import factor_was_shown
from postern.apps.authn.credentials import freshness
from postern.apps.authn.credentials.actions.login_sessions import note_password_verified
from postern.apps.authn.credentials.errors import MfaVerifyRequired
from postern.apps.authn.credentials.models import BearerToken, LoginSession
from postern.apps.authn.errors import MfaRefused
from postern.apps.authn.second_factors import recovery
from postern.apps.authn.second_factors.actions import mfa
from postern.apps.authn.second_factors.actions.codes import CodeKind, verify_in_session
from postern.apps.authn.second_factors.errors import MfaFailed, MfaNotSet
from postern.apps.authn.second_factors.models import PendingSignIn, SignInWay
from postern.apps.authn.second_factors.queries import has_device, has_factor, second_factor_of
from postern.apps.authn.sign_in.actions import present_password, second_factor
from postern.apps.authn.sign_in.api import pending
from postern.apps.authn.sign_in.api.device_cookie import DeviceCookieView, visitor_of
from postern.apps.authn.sign_in.confirmed import require_confirmed
from postern.apps.authn.sign_in.errors import PasswordInvalid, PasswordVerifyRequired, SignInLapsed, WrongCredentials
from postern.apps.rbac import facade as rbac
from postern.apps.users.credentials.passwords import MAX_PASSWORD_CHARS
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import ROOT
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel import clock
from postern.kernel.errors import NotAllowed


class CodeSerializer(BodySerializer):
    """A code. Its use checks for exactly six digits, with its own message (S5-012)."""

    code = serializers.CharField(max_length=recovery.MAX_TYPED_CHARS, allow_blank=True, write_only=True)
    type = serializers.ChoiceField(choices=[kind.value for kind in CodeKind], default=CodeKind.TOTP.value)


class ChallengeSerializer(CodeSerializer):
    """`trust`: trust this browser, if the settings allow it."""

    trust = serializers.BooleanField(default=False)


class PasswordCheckSerializer(BodySerializer):
    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False, write_only=True)


def _read_code(request: Request) -> tuple[str, CodeKind]:
    code = body_of(request, CodeSerializer)
    return code["code"], CodeKind(code["type"])


class ChallengeView(DeviceCookieView):
    """`POST authentication/mfa/challenge/ {"code", "type"?, "trust"?}`: the second factor of the pending sign-in.

    Returns 200 `{"msg": "ok"}`. A browser is then signed in, and the response also has `next` and
    `must_change_password`. Refusals are 400 `{"error": slug, "msg": text}`.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False
    authentication_classes = ()

    def post(self, request: Request) -> Response:
        body = body_of(request, ChallengeSerializer)
        code, kind = body["code"], CodeKind(body["type"])
        web = pending.current(request, SignInWay.WEB)
        if web is not None:
            SessionAuthentication().enforce_csrf(request)
            second_factor.answer(web, code=code, kind=kind, visitor=visitor_of(request, web.user.username))
            return Response(pending.finish_web(request, web, trusts=body["trust"]))
        token = pending.current(request, SignInWay.TOKEN)
        if token is None:
            raise SignInLapsed
        second_factor.answer(token, code=code, kind=kind, visitor=visitor_of(request, token.user.username))
        return Response({"msg": "ok"})


class PersonalView(PosternView):
    """A view of a signed-in user about their own second factor."""

    rights = Right.VALID_USER
    always_root = True
    open_before_confirmation = True

    def person(self, request: Request) -> User:
        """The calling user. Raises for callers that are not users."""
        if not isinstance(request.user, User):
            raise NotAllowed(_("This is available to users only."))
        return User.objects.get(pk=request.user.pk)

    def login_session(self, request: Request) -> LoginSession | None:
        """The browser sign-in of the call."""
        return request.auth if isinstance(request.auth, LoginSession) else None

    def check_factor(self, request: Request, user: User) -> None:
        """Check a code. For a user without an app, a passkey that was shown in the last minutes suffices."""
        enters_code = isinstance(request.data, Mapping) and bool(request.data.get("code"))
        if not enters_code and not has_device(user.pk) and has_factor(user.pk):
            require_shown(request)
        else:
            self.check_code(request, user)

    def check_code(self, request: Request, user: User) -> None:
        """Check the code of the body. Raises a refusal as 400 `{"error": text, "code": slug}`."""
        code, kind = _read_code(request)
        try:
            visitor = visitor_of(request, user.username)
            verify_in_session(actor=self.actor, user=user, code=code, kind=kind, visitor=visitor)
        except MfaRefused as refused:
            raise CodeRefused(refused) from None


def require_shown(request: Request) -> None:
    """Raise MfaVerifyRequired unless the second factor was shown in this sign-in in the last minutes."""
    if not factor_was_shown(request.auth, now=clock.now()):
        raise MfaVerifyRequired


class CodeRefused(MfaRefused):
    """A refused code of a signed-in user. In these responses, `error` is the message (contract)."""

    def __init__(self, refused: MfaRefused) -> None:
        self.refused = refused
        super().__init__()

    def text(self) -> str:
        return self.refused.text()

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.text(), "code": self.refused.slug}


class PasswordVerifyView(PersonalView):
    """`POST authentication/password/verify/ {"password"}` → 200: allows changes of the second factor for five minutes."""

    def post(self, request: Request) -> Response:
        user, login_session = self.person(request), self.login_session(request)
        if login_session is None:
            raise PasswordVerifyRequired
        password = body_of(request, PasswordCheckSerializer)["password"]
        try:
            present_password.require(
                actor=self.actor,
                user=user,
                password=password,
                visitor=visitor_of(request, user.username),
            )
        except WrongCredentials:
            raise PasswordInvalid from None
        note_password_verified(actor=self.actor, user=user, login_session=login_session)
        return Response({"ok": True})


class SecondFactorView(PersonalView):
    """`GET authentication/otp/` → `{"is_set", "level", "forced", "recovery_codes_left", "date_confirmed", "passkeys"}`.

    `is_set` is about the authenticator app, `passkeys` the number of passkeys.
    """

    def get(self, request: Request) -> Response:
        user = self.person(request)
        standing = second_factor_of(user.pk)
        since = standing.date_confirmed
        date_confirmed = None if since is None else serializers.DateTimeField().to_representation(since)
        return Response(
            {
                "is_set": standing.is_set,
                "level": user.mfa_level,
                "forced": mfa_is_forced(user),
                "recovery_codes_left": standing.recovery_codes_left,
                "date_confirmed": date_confirmed,
                "passkeys": standing.passkeys,
            }
        )


class VerifyView(PersonalView):
    """`authentication/otp/verify/`: whether a code was entered recently (GET), and enter a code (POST)."""

    def get(self, request: Request) -> Response:
        freshness.require(request)
        return Response({"code": "valid", "msg": "verified"})

    def post(self, request: Request) -> Response:
        user = self.person(request)
        if not isinstance(request.auth, LoginSession | BearerToken) or not has_factor(user.pk):
            raise MfaNotSet
        self.check_code(request, user)
        mfa.note_verified(actor=self.actor, user=user, credential=request.auth)
        return Response({"ok": "1"})


class DisableView(PersonalView):
    """`POST authentication/otp/disable/ {"code"?, "type"?}`: removes the app, all passkeys and the recovery codes.

    A user without an app needs no code if they showed a passkey within five minutes.
    """

    def post(self, request: Request) -> Response:
        user = self.person(request)
        self.check_factor(request, user)
        mfa.disable(actor=self.actor, user=user, keep=self.login_session(request))
        return Response({"ok": True})


class RecoveryCodesView(PersonalView):
    """`POST authentication/otp/recovery-codes/ {"code"?}` → `{"recovery_codes": […]}`: a new set, which voids the old
    codes. The rules for `code` are those of `DisableView`.
    """

    def post(self, request: Request) -> Response:
        user = self.person(request)
        if not has_factor(user.pk):
            raise MfaNotSet
        self.check_factor(request, user)
        codes = mfa.renew_recovery_codes(actor=self.actor, user=user)
        return Response({"recovery_codes": [code.reveal() for code in codes]})


class EnrolView(DeviceCookieView):
    """Base of the steps that set up a second factor: for a signed-in user, or during a sign-in that requires it."""

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def enrolling_user(self, request: Request) -> tuple[User, Actor, PendingSignIn | None]:
        """The user enrolling_user sets up a factor, with their actor and pending sign-in.

        Raises SignInLapsed without a user, PasswordVerifyRequired when the password check is too old.
        """
        if isinstance(request.user, User):
            user = User.objects.get(pk=request.user.pk)
            require_confirmed(request.auth, user)
            return user, self.actor, None
        pending_sign_in = pending.current(request, SignInWay.WEB)
        # A password alone must not replace the second factor of a user enrolling_user has one.
        if pending_sign_in is None or has_factor(pending_sign_in.user_id):
            raise SignInLapsed
        SessionAuthentication().enforce_csrf(request)
        rights = rbac.rights_of(pending_sign_in.user, ROOT)
        actor = actor_of_user(
            pending_sign_in.user, rights, remote_addr=request.META.get("REMOTE_ADDR"), login_session=None
        )
        return pending_sign_in.user, actor, pending_sign_in


class EnrolStartView(EnrolView):
    """`POST authentication/otp/enrol/start/` → `{"secret", "uri", "qr": ["1011…", …], "expires_in"}`.

    Requires a password verified within five minutes, and a code (`{"code", "type"?}`) if the user has an app. `qr`
    holds one string for each row of the QR code, `1` for dark.
    """

    def post(self, request: Request) -> Response:
        user, actor, pending_sign_in = self.enrolling_user(request)
        if has_device(user.pk):
            code, kind = _read_code(request)
            try:
                visitor = visitor_of(request, user.username)
                verify_in_session(actor=actor, user=user, code=code, kind=kind, visitor=visitor)
            except MfaRefused as refused:
                raise CodeRefused(refused) from None
        elif has_factor(user.pk):
            require_shown(request)
        with second_factor.enrolling(pending_sign_in):
            begun = mfa.begin_enrolment(actor=actor, user=user)
        return Response(
            {
                "secret": begun.secret.reveal(),
                "uri": begun.uri.reveal(),
                "qr": list(begun.qr),
                "expires_in": begun.expires_in_s,
            }
        )


class EnrolConfirmView(EnrolView):
    """`POST authentication/otp/enrol/confirm/ {"code"}` → `{"recovery_codes": […]}`, shown once.

    During a sign-in it also completes the sign-in; the response then has `next` and `must_change_password` too.
    """

    def post(self, request: Request) -> Response:
        user, actor, pending_sign_in = self.enrolling_user(request)
        code, _kind = _read_code(request)
        keep = request.auth if isinstance(request.auth, LoginSession) else None
        with second_factor.enrolling(pending_sign_in):
            try:
                codes = mfa.confirm_enrolment(actor=actor, user=user, code=code, keep=keep)
            except MfaFailed as refused:
                raise CodeRefused(refused) from None
            if pending_sign_in is not None:
                second_factor.enrolled(pending_sign_in)
        body: dict[str, Any] = {"recovery_codes": [code.reveal() for code in codes]}
        if pending_sign_in is not None:
            body |= pending.finish_web(request, pending_sign_in)
        return Response(body)
