"""Reading request bodies through serializers; unknown keys are refused where a client cannot need them.

Some clients of the API contract send more keys than a call takes, so unknown keys of a body are ignored by default. Our
own console sends `Prefer: handling=strict` (RFC 7240 section 4.4), because the value under a misspelt key would
otherwise be lost silently. In the objects inside a body, and in resources with `refuses_unknown`, unknown keys are
always refused.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

_STRICT: Final = "handling=strict"
#: Keys that the console's array writes and uploads send in addition to the fields.
_BESIDE: Final = frozenset({"id"})


class BodySerializer(serializers.Serializer[Any]):
    """Base class of every serializer that reads a request body."""

    #: Whether unknown keys are an error for every client: where an omitted field has an effect that reaches far.
    refuses_unknown: ClassVar[bool] = False

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            is_inside = not _is_whole_body(self)
            if is_inside or self.refuses_unknown or is_strict(self.context.get("request")):
                allowed: frozenset[str] = frozenset() if is_inside else _BESIDE
                self._refuse_unknown(data, allowed)
        return super().to_internal_value(data)

    def _refuse_unknown(self, data: Mapping[Any, Any], allowed: frozenset[str]) -> None:
        unknown = [str(key) for key in data if key not in self.fields and key not in allowed]
        if unknown:
            raise serializers.ValidationError({key: [_("This field does not exist.")] for key in unknown})


def _is_whole_body(serializer: serializers.Serializer[Any]) -> bool:
    """Whether it reads a body or an item of an array, and not an object inside of one."""
    parent: object = serializer.parent
    holder: object = parent.parent if isinstance(parent, serializers.ListSerializer) else parent
    return holder is None


def is_strict(request: Request | None) -> bool:
    """Whether the client asked for unknown keys to be refused (`Prefer: handling=strict`)."""
    if request is None:
        return False
    wishes = request.headers.get("Prefer", "").lower().replace(";", ",").split(",")
    return any(wish.replace(" ", "").replace('"', "") == _STRICT for wish in wishes)


def body_of(request: Request, kind: type[serializers.Serializer[Any]], **context: Any) -> dict[str, Any]:
    """The body, validated by the serializer class `kind`. Raises ValidationError."""
    serializer = kind(data=request.data, context={"request": request, **context})
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values
