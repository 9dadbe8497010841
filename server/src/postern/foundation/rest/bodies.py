"""Reading request bodies through serializers; unknown keys are refused when the client asks for it.

Some clients of the API contract send more keys than a call takes, so unknown keys are ignored by default. Our own
console sends `Prefer: handling=strict` (RFC 7240 section 4.4), because the value under a misspelt key would otherwise
be lost silently.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

_STRICT: Final = "handling=strict"
#: Keys that the console's array writes and uploads send in addition to the fields.
_BESIDE: Final = frozenset({"id"})


class BodySerializer(serializers.Serializer[Any]):
    """Base class of every serializer that reads a request body."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and is_strict(self.context.get("request")):
            unknown = [str(key) for key in data if key not in self.fields and key not in _BESIDE]
            if unknown:
                raise serializers.ValidationError({key: [_("This field does not exist.")] for key in unknown})
        return super().to_internal_value(data)


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
