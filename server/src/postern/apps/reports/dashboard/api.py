"""`index/`: the figures of the dashboard (contract: dashboard)."""

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.reports.dashboard.figures import GROUPS, MONTH, SINGLE, WEEK, Figures
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel import clock

_NAMES: Final = (*GROUPS, *SINGLE)


class DashboardView(PosternView):
    """Each flag in the query adds figures; `all` adds everything. `monthly`: of 30 days in place of 7."""

    rights = {"GET": (Right.ORG_ADMIN, Right.ORG_AUDITOR)}
    answers = {"get": Answer(schema=ANY_OBJECT)}

    def get(self, request: Request) -> Response:
        """The figures of the organization of the request; in the global one, of all."""
        params = request.query_params
        org_id = None if self.scope.is_root else self.scope.org_id
        figures = Figures(org_id=org_id, days=MONTH if params.get("monthly") else WEEK, now=clock.now())
        return Response(figures.named(GROUPS if params.get("all") else [name for name in _NAMES if params.get(name)]))
