"""`orgs/orgs/` and `orgs/orgs/current/`."""

from typing import Any

from django.db import models
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.orgs import facade
from postern.apps.orgs.api.serializers import OrganizationSerializer
from postern.apps.orgs.models import Organization
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import ReadOnlyViewSet


class CurrentOrganizationView(PosternView):
    """The organization of the request; the console asks at every start and after each switch."""

    rights = Right.ORG_MEMBER

    def get(self, request: Request) -> Response:
        return Response(facade.describe(self.scope))


class OrganizationViewSet(ReadOnlyViewSet):
    """All organizations, for the system administrator."""

    queryset = Organization.objects.all()
    serializer_class = OrganizationSerializer
    rights = {"list": Right.SUPER_USER, "retrieve": Right.SUPER_USER}
    filter_fields = ("name",)
    search_fields = ("name", "comment")
    ordering_fields = ("name", "date_created")

    def visible_rows(self) -> models.QuerySet[Any]:
        """All of them: the right is the system administrator's."""
        return Organization.objects.all()
