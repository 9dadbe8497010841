"""The caller's own profile: identity, rights, password and public keys."""

from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from django.db import transaction
from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.credentials.actions.login_sessions import keep_through_password_change
from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.known_places import places
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.profile.api.serializers import (
    OwnPasswordSerializer,
    OwnPublicKeySerializer,
    ProfileSerializer,
    own_credentials,
)
from postern.apps.authn.second_factors.queries import has_factor
from postern.apps.authn.sign_in.actions import present_password
from postern.apps.authn.sign_in.api import web_session
from postern.apps.authn.sign_in.api.device_cookie import visitor_of
from postern.apps.authn.sign_in.errors import WrongCredentials
from postern.apps.users import facade as users
from postern.apps.users.accounts.errors import FieldProblem
from postern.apps.users.models import MfaLevel, User
from postern.apps.users.people.errors import OwnSecondFactor
from postern.foundation.caller import identity
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import NotAllowed

_SAFE = ("GET", "HEAD", "OPTIONS")


class OwnView(PosternView, GenericAPIView[Any]):
    """A view of the calling user, available in every organization."""

    rights = Right.AUTHENTICATED
    strangers_allowed = True
    falls_back = True
    open_before_confirmation = True
    lookup_field = ""

    def person(self, request: Request) -> User:
        """The calling user. Raises NotAllowed for callers that are not users."""
        if not isinstance(request.user, User):
            raise NotAllowed(_("This is available to users only."))
        return User.objects.prefetch_related("groups", "memberships").get(pk=request.user.pk)

    def get_object(self) -> User:
        return self.person(self.request)

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "actor": self.actor, "scope": self.scope}


class ProfileView(OwnView):
    """`users/profile/`."""

    serializer_class = ProfileSerializer
    gates_apply = False

    def get(self, request: Request) -> Response:
        if not isinstance(request.auth, LoginSession):  # only the console needs these fields, for its next step
            identity.pass_gates(request, self.actor)
        return Response(self.get_serializer(self.person(request)).data)

    def put(self, request: Request) -> Response:
        return self._change(request)

    def patch(self, request: Request) -> Response:
        return self._change(request)

    def _change(self, request: Request) -> Response:
        identity.pass_gates(request, self.actor)  # with a due password, reading is allowed, changing is not
        user = self.person(request)
        serializer = self.get_serializer(user, data=request.data, partial=True)
        serializer.is_valid(raise_exception=True)
        level = serializer.validated_data.get("mfa_level")
        if level is not None and level < user.mfa_level < MfaLevel.FORCED and has_factor(user.pk):
            raise serializers.ValidationError({"mfa_level": [_("Enter an MFA code to switch MFA off.")]})
        users.update_own_profile(actor=self.actor, user=user, changes=dict(serializer.validated_data))
        return Response(self.get_serializer(self.person(request)).data)


class OwnPasswordView(OwnView):
    """`PUT users/profile/password/`: the only write that is allowed while the password is due."""

    serializer_class = OwnPasswordSerializer
    gates_apply = False

    def get(self, request: Request) -> Response:
        del request
        return Response({})

    def put(self, request: Request) -> Response:
        user = self.person(request)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        visitor = visitor_of(request, user.username)
        self._require_present(user, serializer.validated_data["old_password"], visitor)
        former_epoch = user.session_epoch
        new = users.prepare_own(user, serializer.validated_data["new_password"])
        with transaction.atomic():
            changed = users.change_own_password(actor=self.actor, user=user, new=new)
            users.end_credentials(actor=self.actor, user=changed, kinds=serializer.validated_data["end"])
            if isinstance(request.auth, LoginSession):
                keep_through_password_change(request.auth, changed)
                places.keep_through_password_change(
                    changed, former_epoch=former_epoch, remote_addr=visitor.remote_addr, device=visitor.device
                )
        if isinstance(request.auth, LoginSession):
            web_session.renew_key(request._request)  # noqa: SLF001 - sessions belong to Django's request
        return Response({})

    def patch(self, request: Request) -> Response:
        return self.put(request)

    def _require_present(self, user: User, password: str, visitor: Visitor) -> None:
        if not user.is_local:  # Postern stores no password of this user; the change is refused with the reason
            return
        try:
            present_password.require(actor=self.actor, user=user, password=password, visitor=visitor)
        except WrongCredentials:
            raise FieldProblem("old_password", _("The old password is incorrect.")) from None


class OwnCredentialsView(OwnView):
    """`GET users/profile/credentials/`: the user's credentials and open sessions by kind. A password change
    offers to end them.
    """

    gates_apply = False

    def get(self, request: Request) -> Response:
        if not isinstance(request.auth, LoginSession):
            identity.pass_gates(request, self.actor)
        return Response(own_credentials(self.person(request)))


class GenerateKeyView(OwnView):
    """`POST users/profile/public-key/generate/`: create a key pair for the caller.

    The public key replaces the stored keys. The response is the private key as a file; it is not stored.
    """

    rights = Right.VALID_USER

    def post(self, request: Request) -> HttpResponse:
        user = self.person(request)
        private = Ed25519PrivateKey.generate()
        public = private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode("ascii")
        users.set_public_keys(actor=self.actor, user=user, text=f"{public} {user.username}@postern")
        answer = HttpResponse(
            private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()),
            content_type="application/x-pem-file",
        )
        answer["Content-Disposition"] = content_disposition_header(True, f"{user.username}.pem") or "attachment"
        return answer


class OwnPublicKeyView(OwnView):
    """`users/profile/public-key/`: replace the caller's public keys; several keys are given one per line."""

    serializer_class = OwnPublicKeySerializer
    rights = Right.VALID_USER

    def get(self, request: Request) -> Response:
        return Response(self.get_serializer(self.person(request)).data)

    def put(self, request: Request) -> Response:
        user = self.person(request)
        serializer = self.get_serializer(user, data=request.data)
        serializer.is_valid(raise_exception=True)
        users.set_public_keys(actor=self.actor, user=user, text=serializer.validated_data["public_key"])
        return Response(self.get_serializer(user).data)

    def patch(self, request: Request) -> Response:
        return self.put(request)


class OwnPublicKeyByIdView(OwnPublicKeyView):
    """`users/users/{id}/pubkey/update/`: the same with the caller's own id; 404 for other ids (contract: deprecated)."""

    http_method_names = ["put", "patch", "options"]

    def person(self, request: Request) -> User:
        if self.kwargs["pk"] != self.actor.user_id:
            raise Http404
        return super().person(request)

    def put(self, request: Request, pk: UUID) -> Response:  # type: ignore[override]  # the id is in this address only
        del pk
        return super().put(request)

    def patch(self, request: Request, pk: UUID) -> Response:  # type: ignore[override]  # as above
        return self.put(request, pk)


class OwnSecondFactorResetView(PosternView):
    """`users/otp/reset/`: always refused with 401 (contract: users). Users cannot reset their own second factor
    without a code; the profile page changes it with a code.
    """

    rights = Right.ORG_ADMIN

    def get(self, request: Request) -> Response:
        del request
        raise OwnSecondFactor
