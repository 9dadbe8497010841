"""`POST users/service-account-registrations/`: a program registers itself with the bootstrap token (contract: users)."""

from rest_framework import status
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.terminals.actions.service_accounts import register_account
from postern.apps.sessions.terminals.api.authentication import BootstrapAuthentication
from postern.apps.sessions.terminals.api.terminals import registration_closed
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.rights import Right
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.views import PosternView


class AccountRegistrationSerializer(BodySerializer):
    """The data that a program sends when it registers."""

    name = PlainField(max_length=128)


class AccountRegistrationView(PosternView):
    """Register a service account and return its access key, once.

    The account is disabled and has no right until an administrator activates it, makes it a member and grants access.
    """

    rights = Right.BOOTSTRAP
    always_root = True
    gates_apply = False

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [BootstrapAuthentication()]

    def post(self, request: Request) -> Response:
        closed = registration_closed()
        if closed is not None:
            return closed
        name = body_of(request, AccountRegistrationSerializer)["name"]
        made = register_account(actor=self.actor, name=name)
        key = {
            "id": str(made.key.id),
            "secret": made.key.secret.reveal(),
            "is_active": True,
            "date_created": made.key.date_created,
        }
        body = {"id": str(made.user.pk), "name": made.user.name, "access_key": key}
        return Response(body, status=status.HTTP_201_CREATED)
