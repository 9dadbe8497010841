"""`perms/plan/`, `perms/apply/` and `perms/export/`: access as code, in the organization of the request."""

from typing import Any, ClassVar, Final

from django.http import HttpResponse
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.plans.applying import actions
from postern.apps.plans.files.items import MAX_BYTES
from postern.apps.plans.files.schema import schema
from postern.foundation.caller import identity
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import ANY_OBJECT, TEXT, Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

#: JSON writes some characters as six bytes.
BODY_BYTES: Final = 2 * MAX_BYTES
#: Ends of the paths that take a file.
PATH_ENDS: Final = ("/perms/plan/", "/perms/apply/")

_NUMBER: Final = {"type": "integer"}
_LIST: Final = {"type": "array", "items": TEXT}
_SIDE: Final = texts(
    people=_NUMBER,
    assets=_NUMBER,
    pairs=_NUMBER,
    system_users={"type": "object", "additionalProperties": _NUMBER},
    listed={"type": "array", "items": texts("user", "asset", system_users=_LIST)},
)
_PLAN: Final = texts(
    "organization",
    "digest",
    version=_NUMBER,
    changes={"type": "array", "items": texts("kind", "verb", "name", line=_NUMBER, values=ANY_OBJECT)},
    access=texts(gained=_SIDE, lost=_SIDE),
)


class _FileField(serializers.CharField):
    """The text of a file, as it is: its spaces have a meaning. Its problems are reported with line and column."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, max_length=MAX_BYTES, **kwargs)


class PlanSerializer(BodySerializer):
    """`{"file": "version: 1 …"}`."""

    file = _FileField(label=gettext_lazy("File"))


class ApplySerializer(PlanSerializer):
    """`{"file": "version: 1 …", "plan": digest}`."""

    plan = serializers.RegexField(
        r"^[0-9a-f]{64}$", required=False, allow_blank=True, max_length=64, label=gettext_lazy("Digest of the plan")
    )


class _FileView(PosternView):
    """A view that takes a file."""

    serializer_class: ClassVar[type[PlanSerializer]]

    def get_serializer(self, *args: Any, **kwargs: Any) -> PlanSerializer:
        """The serializer, for OPTIONS and the API description."""
        # The API description is generated without a request and without a caller.
        context = {name: getattr(self, name, None) for name in ("request", "actor", "scope")}
        return self.serializer_class(*args, context={**context, "view": self}, **kwargs)


class PlanView(_FileView):
    """What a file would change, and the schema of such files."""

    rights = {"GET": Right.ORG_ADMIN, "POST": Right.ORG_ADMIN}
    serializer_class = PlanSerializer
    answers = {"get": Answer(schema=ANY_OBJECT), "post": Answer(schema=_PLAN)}

    def get(self, request: Request) -> Response:
        """The JSON Schema of the file."""
        return Response(schema())

    def post(self, request: Request) -> Response:
        """The difference to the present state and its effect on access; errors with line and column."""
        org_id = writable(self.scope)
        values = body_of(request, PlanSerializer, actor=self.actor, scope=self.scope, view=self)
        identity.require_standing(self.actor)
        checker = actions.read_wish(values["file"])
        made = actions.plan(actor=self.actor, org_id=org_id, checker=checker, most=actions.MOST_CHANGED)
        return Response(made.shown())


class ApplyView(_FileView):
    """Carries out a file, all or nothing."""

    rights = {"POST": Right.ORG_ADMIN}
    serializer_class = ApplySerializer
    answers = {"post": Answer(schema=_PLAN)}

    def post(self, request: Request) -> Response:
        """What was changed. With `plan`, the digest of a plan, 409 when something has changed since."""
        org_id = writable(self.scope)
        values = body_of(request, ApplySerializer, actor=self.actor, scope=self.scope, view=self)
        identity.require_standing(self.actor)
        checker = actions.read_wish(values["file"])
        made = actions.apply(
            actor=self.actor,
            org_id=org_id,
            checker=checker,
            expected=values.get("plan", ""),
            most=actions.MOST_CHANGED,
        )
        return Response(made.shown())


class ExportView(PosternView):
    """The present state as a file."""

    rights = {"GET": Right.ORG_ADMIN}
    answers = {"get": Answer(schema=TEXT)}

    def get(self, request: Request) -> HttpResponse:
        """A file that changes nothing when it is applied now."""
        text = actions.export(actor=self.actor, org_id=writable(self.scope))
        return HttpResponse(
            text,
            content_type="application/yaml; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="access-plan.yaml"'},
        )
