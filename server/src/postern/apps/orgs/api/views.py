"""`orgs/orgs/current/`."""

from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.orgs import facade
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class CurrentOrganizationView(PosternView):
    """The organization of the request. The console requests it at every start and after each switch.

    If only a cookie names the organization, and it is deleted or closed to the caller, the response is an organization
    of the caller.
    """

    rights = Right.ORG_MEMBER
    falls_back = True
    open_before_confirmation = True

    def get(self, request: Request) -> Response:
        return Response(facade.describe(self.scope))
