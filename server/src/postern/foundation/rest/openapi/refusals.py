"""What every operation may answer instead of what was asked for: the error bodies of `rest/errors`, said once."""

from typing import Any, Final

_TEXT: Final[dict[str, Any]] = {"type": "string"}
_DETAIL: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"detail": _TEXT, "code": _TEXT},
    "required": ["detail"],
}
#: By field: a list of texts, or what is wrong inside it.
_BY_FIELD: Final[dict[str, Any]] = {"type": "object", "additionalProperties": {"type": ["array", "object", "string"]}}
#: What stands before the API says (the guard of bodies, Django itself).
_ERROR: Final[dict[str, Any]] = {"type": "object", "properties": {"error": _TEXT}, "required": ["error"]}
_OF_FIELDS: Final[dict[str, Any]] = {
    "anyOf": [_BY_FIELD, {"type": "array", "items": {"type": ["object", "array", "string"]}}]
}
_OF_CALL: Final[dict[str, Any]] = {"anyOf": [_DETAIL, _ERROR]}

_BAD: Final = {"400": ("Refused", "What was sent is wrong, by field; or why it cannot be done.", _OF_FIELDS)}
_ALWAYS: Final = {
    **_BAD,
    "401": ("NotSignedIn", "Nobody has signed in.", _OF_CALL),
    "403": ("Forbidden", "The caller may not do this, or has to do something else first.", _OF_CALL),
    "404": ("NotFound", "There is no such object within the reach of the caller.", _OF_CALL),
    "429": ("TooMany", "Too many attempts; `Retry-After` says when to try again.", _OF_CALL),
    "503": ("Unavailable", "A part of the service is not available; `Retry-After` says when to try again.", _OF_CALL),
}
_WRITES: Final = {
    "405": ("NotAllowed", "The object does not take this method.", _OF_CALL),
    "409": ("Conflict", "Somebody else is changing the same.", _OF_CALL),
    "413": ("TooLarge", "The body is larger than the route allows.", _OF_CALL),
    "415": ("MediaType", "The body is of a type that is not read here.", _OF_CALL),
}
_METHODS: Final = ("get", "post", "put", "patch", "delete")


def add_to(document: dict[str, Any]) -> None:
    """Name the refusals in every operation; what an operation says of a status itself stands."""
    made = {**_ALWAYS, **_WRITES}
    document.setdefault("components", {})["responses"] = {
        name: {"description": text, "content": {"application/json": {"schema": schema}}}
        for name, text, schema in made.values()
    }
    for item in document["paths"].values():
        for method in _METHODS:
            if method not in item:
                continue
            named = _ALWAYS if method == "get" else made
            for status, (name, _text, _schema) in named.items():
                item[method]["responses"].setdefault(status, {"$ref": f"#/components/responses/{name}"})
