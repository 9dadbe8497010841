"""`GET terminal/recent-assets/`: where the caller was last."""

from typing import Final, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.sessions import queries
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

_ROWS: Final = {"type": "array", "items": texts("asset")}


class RecentAssetsView(PosternView):
    """The assets of the caller's last sessions, in all organizations, the latest first. Whether they may still be reached
    is not checked: lists of reachable assets answer that.
    """

    rights = {"GET": Right.VALID_USER}
    always_root = True
    answers = {"get": Answer(schema=_ROWS)}

    def get(self, request: Request) -> Response:
        del request
        recent = queries.recent_assets(cast("UUID", self.actor.user_id))
        return Response([{"asset": str(asset_id)} for asset_id in recent])
