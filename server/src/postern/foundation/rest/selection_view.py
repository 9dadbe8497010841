"""The endpoint that stores selections (see `selections`)."""

from typing import Final

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
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
        if not isinstance(resources, list):
            raise ValidationError({"resources": [_("Expected a list of ids.")]})
        if len(resources) > selections.MAX_IDS:
            message = _("At most %(count)d ids can be selected at once.") % {"count": selections.MAX_IDS}
            raise ValidationError({"resources": [message]})
        if not all(isinstance(resource, str | int) and not isinstance(resource, bool) for resource in resources):
            raise ValidationError({"resources": [_("Each id must be a text or a number.")]})
        ids = [str(resource)[:_MAX_ID_CHARS] for resource in resources]
        return Response({"spm": selections.keep(ids, self.actor, self.scope)})
