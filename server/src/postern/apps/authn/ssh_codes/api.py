"""`authentication/ssh-codes/`: a code for the caller's own SSH client."""

from typing import Final

from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.credentials.errors import MfaVerifyRequired
from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.ssh_codes import actions
from postern.apps.users.models import User
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import NotAllowed

_ISSUED: Final = Answer(201, schema=texts("code", "date_expired"))


class SshCodesView(PosternView):
    """`POST`: 201 `{"code", "date_expired"}`. The code signs the caller in over SSH once, within two minutes.

    Requires a browser sign-in: programs with a token have no user who could copy a code. 403 when the codes are
    switched off; 400 `mfa_verify_required` in a trusted browser, where the second factor was not shown.
    """

    rights = Right.VALID_USER
    always_root = True
    answers = {"post": _ISSUED}

    def post(self, request: Request) -> Response:
        user, login_session = request.user, request.auth
        if not isinstance(user, User) or not isinstance(login_session, LoginSession):
            raise NotAllowed(_("This is available in a browser only."))
        # A trusted browser replaces the second factor only for itself; the SSH client may be on another device.
        if login_session.mfa and login_session.date_mfa_verified is None:
            raise MfaVerifyRequired
        issued = actions.issue(actor=self.actor, user=user, login_session=login_session)
        body = {"code": issued.code.reveal(), "date_expired": issued.date_expired}
        return Response(body, status=status.HTTP_201_CREATED)
