"""The base of views that start jobs: who may, what the body is, and the answer with the id of the job."""

from typing import Any, ClassVar, Final

from rest_framework import serializers
from rest_framework.request import Request

from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

#: The id of the job that was started.
STARTED: Final = texts("task")


class StartingView(PosternView):
    """A POST of administrators of the organization. OPTIONS describes `serializer_class`."""

    rights = Right.ORG_ADMIN
    answers = {"post": Answer(201, schema=STARTED)}
    serializer_class: ClassVar[type[BodySerializer]]

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer of the body, for OPTIONS."""
        # The API description is generated without a request and without a caller.
        context = {name: getattr(self, name, None) for name in ("request", "scope")}
        return self.serializer_class(*args, context={**context, "view": self}, **kwargs)

    def body(self, request: Request) -> dict[str, Any]:
        """The validated body. Raises ValidationError."""
        return body_of(request, self.serializer_class, scope=self.scope)
