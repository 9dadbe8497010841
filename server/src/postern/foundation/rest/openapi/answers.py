"""What a view says of an answer that is not an object of its serializer.

    answers = {"children_add": Answer(schema=TEXT), "invite": Answer(201, serializer=MembershipSerializer, many=True)}

The key is the action, or the method of a plain view; `children:post` where the methods of an action differ.
"""

from dataclasses import dataclass
from typing import Any, Final

from rest_framework import serializers

TEXT: Final[dict[str, Any]] = {"type": "string"}
ANY_OBJECT: Final[dict[str, Any]] = {"type": "object"}
ANY_OBJECTS: Final[dict[str, Any]] = {"type": "array", "items": ANY_OBJECT}


def texts(*names: str, **others: Any) -> dict[str, Any]:
    """An object with these keys, each a text; `others` are schemas."""
    properties = {**dict.fromkeys(names, TEXT), **others}
    return {"type": "object", "properties": properties, "required": sorted(properties)}


@dataclass(frozen=True)
class Answer:
    """Status and body of success. `serializer` (a list of its objects with `many`) or `schema`; neither: no body."""

    status: int = 200
    schema: dict[str, Any] | None = None
    serializer: type[serializers.BaseSerializer[Any]] | None = None
    many: bool = False
