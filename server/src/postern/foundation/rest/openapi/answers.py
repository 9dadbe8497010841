"""Declarations of answers that are not described by the view's serializer.

    answers = {"children_add": Answer(schema=TEXT), "invite": Answer(201, serializer=MembershipSerializer, many=True)}

The key is the action, or the method of a view without actions. `children:post` is for one method of an action,
`list:409` for a further status of it, whose answer is not the usual one of errors.
"""

from dataclasses import dataclass
from typing import Any, Final

from rest_framework import serializers

TEXT: Final[dict[str, Any]] = {"type": "string"}
ANY_OBJECT: Final[dict[str, Any]] = {"type": "object"}
ANY_OBJECTS: Final[dict[str, Any]] = {"type": "array", "items": ANY_OBJECT}


def texts(*names: str, **others: Any) -> dict[str, Any]:
    """Schema of an object with these text properties; `others` are properties with their own schema."""
    properties = {**dict.fromkeys(names, TEXT), **others}
    return {"type": "object", "properties": properties, "required": sorted(properties)}


@dataclass(frozen=True)
class Answer:
    """Status and body of a successful answer.

    The body is an object of `serializer` (with `many` a list of them), or it has the `schema`. Without either there is
    no body.
    """

    status: int = 200
    schema: dict[str, Any] | None = None
    serializer: type[serializers.BaseSerializer[Any]] | None = None
    many: bool = False
