"""`POST perms/preview/`: who would gain and lose which access by changes, before they are saved. Writes nothing."""

from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.perms.previews.api.answers import Window, answer
from postern.apps.perms.previews.api.parsing import Parsed
from postern.apps.perms.previews.api.serializers import PreviewSerializer
from postern.apps.perms.previews.previewing import preview
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.clock import now
from postern.kernel.ids import parse_id

_LIMIT: Final = 20
_MOST: Final = 200
#: No list of a preview is longer.
_FURTHEST: Final = 10_000_000

_NUMBER: Final = {"type": "integer"}
_ID: Final = {"type": "string", "format": "uuid"}
_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
#: An object that does not exist yet has no id.
_ID_OR_NEW: Final = {"type": ["string", "null"], "format": "uuid"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": sorted(properties)}


def _list(**properties: Any) -> dict[str, Any]:
    return _object(count=_NUMBER, results={"type": "array", "items": _object(**properties)})


_FIGURES: Final = _object(people=_NUMBER, targets=_NUMBER, pairs=_NUMBER)
_KIND: Final = _object(
    gained=_FIGURES,
    lost=_FIGURES,
    system_users={
        "type": "array",
        "items": _object(
            id=_ID, name=_TEXT, username=_TEXT, protocol=_TEXT, is_privileged=_FLAG, gained=_FIGURES, lost=_FIGURES
        ),
    },
)
_TARGET: Final = {"id": _ID_OR_NEW, "name": _TEXT, "gained": _FLAG, "lost": _FLAG}
_ANSWER: Final = _object(
    assets=_KIND,
    applications=_KIND,
    people=_list(
        id=_ID_OR_NEW,
        name=_TEXT,
        username=_TEXT,
        gained_assets=_NUMBER,
        lost_assets=_NUMBER,
        gained_applications=_NUMBER,
        lost_applications=_NUMBER,
    ),
    asset_list=_list(**_TARGET),
    application_list=_list(**_TARGET, category=_TEXT),
)


class PreviewView(PosternView):
    """Compares who reaches what now with who would reach it after the changes. `limit` and `offset` page the three lists
    together; `user` narrows the lists of assets and applications to one person.
    """

    rights = {"POST": Right.ORG_ADMIN}
    serializer_class = PreviewSerializer
    answers = {"post": Answer(200, schema=_ANSWER)}

    def get_serializer(self, *args: Any, **kwargs: Any) -> PreviewSerializer:
        """The serializer, for OPTIONS and the API description."""
        # The API description is generated without a request and without a caller.
        context = {name: getattr(self, name, None) for name in ("request", "actor", "scope")}
        return PreviewSerializer(*args, context={**context, "view": self}, **kwargs)

    def post(self, request: Request) -> Response:
        values = body_of(request, PreviewSerializer, actor=self.actor, scope=self.scope, view=self)
        window = _window(request)
        at = values.get("at") or now()
        parsed = Parsed(self, values["changes"], at)
        return Response(answer(preview(parsed.changes, parsed.org_ids, at), parsed.changes, window))


def _window(request: Request) -> Window:
    user = request.query_params.get("user", "")
    user_id = parse_id(user) if user else None
    if user and user_id is None:
        raise ValidationError({"user": [_("Enter the id of an object.")]})
    return Window(
        offset=_number(request, "offset", 0, 0, _FURTHEST),
        limit=_number(request, "limit", _LIMIT, 1, _MOST),
        user_id=user_id,
    )


def _number(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name, "")
    if not text:
        return default
    if not text.isascii() or not text.isdecimal() or not least <= int(text[:10]) <= most or len(text) > 10:
        message = _("Enter a number from %(least)d to %(most)d.") % {"least": least, "most": most}
        raise ValidationError({name: [message]})
    return int(text)
