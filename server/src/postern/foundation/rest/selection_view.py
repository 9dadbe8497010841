"""The endpoint that keeps selections (see `selections`)."""

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from postern.foundation.rest import selections
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

_MAX_ID_CHARS: Final = 64


class SelectionView(PosternView):
    """`POST common/resources/cache/ {"resources": [ids]}` → `{"spm": token}`."""

    rights = Right.VALID_USER

    def post(self, request: Request) -> Response:
        resources = request.data.get("resources") if isinstance(request.data, dict) else None
        if not isinstance(resources, list) or len(resources) > selections.MAX_IDS:
            return Response({"resources": ["Expected a list of ids."]}, status=400)
        ids = [str(one)[:_MAX_ID_CHARS] for one in resources if isinstance(one, str | int)]
        return Response({"spm": selections.keep(ids, self.actor, self.scope)})
