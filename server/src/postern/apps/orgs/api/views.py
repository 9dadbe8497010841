"""`orgs/orgs/current/`."""

from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.orgs import facade
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class CurrentOrganizationView(PosternView):
    """The organization of the request; the console asks at every start and after each switch.

    Asked with a cookie alone whose organization is gone or closed to the caller, it answers with one that is open to them.
    """

    rights = Right.ORG_MEMBER
    falls_back = True
    open_before_confirmation = True

    def get(self, request: Request) -> Response:
        return Response(facade.describe(self.scope))
