"""Bodies of requests: read through a serializer, and without keys that nobody knows where the client wants that.

The contract has clients that send more than a call takes, so unknown keys are passed over. Our own console asks to be told
(`Prefer: handling=strict`, RFC 7240 section 4.4): a misspelt key would be a value that is lost without a word.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

_STRICT: Final = "handling=strict"
#: Keys that array writes and uploads of our console carry beside the fields.
_BESIDE: Final = frozenset({"id"})


class BodySerializer(serializers.Serializer[Any]):
    """The base of all serializers that read bodies."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and is_strict(self.context.get("request")):
            unknown = [str(key) for key in data if key not in self.fields and key not in _BESIDE]
            if unknown:
                raise serializers.ValidationError({key: [_("There is no such field.")] for key in unknown})
        return super().to_internal_value(data)


def is_strict(request: Request | None) -> bool:
    """Whether the client wants unknown keys refused."""
    if request is None:
        return False
    wishes = request.headers.get("Prefer", "").lower().replace(";", ",").split(",")
    return any(wish.replace(" ", "").replace('"', "") == _STRICT for wish in wishes)


def body_of(request: Request, kind: type[serializers.Serializer[Any]], **context: Any) -> dict[str, Any]:
    """The body as `kind` reads it. Raises ValidationError."""
    serializer = kind(data=request.data, context={"request": request, **context})
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values
