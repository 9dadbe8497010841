"""`authentication/password/forgot/`: request a link to set a new password."""

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.forgotten_passwords.asking import ask
from postern.apps.authn.puzzles.demand import require_before_mail
from postern.apps.authn.puzzles.serializers import SolutionSerializer, solution_in
from postern.apps.authn.sign_in import ways
from postern.apps.preferences import facade as preferences
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class ForgotPasswordSerializer(BodySerializer):
    """A login name or a mail address, and the solution of a puzzle."""

    username = serializers.CharField(max_length=1_024)
    puzzle = SolutionSerializer(required=False)


class ForgotPasswordView(PosternView):
    """`POST {username, puzzle}` → `{"msg": text}`, the same for every name.

    Without a solution 400 `{"error": "puzzle_required", "msg", "puzzle"}`, as for sign-in.

    The owner of a local, valid account with a password gets a mail with a link that works once, within an hour.
    """

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def post(self, request: Request) -> Response:
        # As for sign-in: another site must not cause mails with requests of its visitors.
        SessionAuthentication().enforce_csrf(request)
        body = body_of(request, ForgotPasswordSerializer)
        if not preferences.is_mail_configured():
            return Response({"msg": _("Mail is not set up here. Ask an administrator to reset your password.")})
        if not ways.is_open("password"):
            return Response({"msg": _("Passwords of local users are switched off here. Sign in in another way.")})
        require_before_mail(body["username"], solution_in(body))
        ask(body["username"], request.META.get("REMOTE_ADDR", ""))
        return Response({"msg": _("If the account exists, a mail is on its way.")})
