"""The error answers that every operation may give (see `rest/errors`), declared once."""

from typing import Any, Final

_TEXT: Final[dict[str, Any]] = {"type": "string"}
_DETAIL: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"detail": _TEXT, "code": _TEXT},
    "required": ["detail"],
}
#: By field: a list of texts, or nested errors.
_BY_FIELD: Final[dict[str, Any]] = {"type": "object", "additionalProperties": {"type": ["array", "object", "string"]}}
#: Errors from outside the API: the guard that limits bodies, and Django itself.
_ERROR: Final[dict[str, Any]] = {"type": "object", "properties": {"error": _TEXT}, "required": ["error"]}
_OF_FIELDS: Final[dict[str, Any]] = {
    "anyOf": [_BY_FIELD, {"type": "array", "items": {"type": ["object", "array", "string"]}}]
}
_OF_CALL: Final[dict[str, Any]] = {"anyOf": [_DETAIL, _ERROR]}

_BAD: Final = {"400": ("Refused", "Errors by field, or why the request cannot be carried out.", _OF_FIELDS)}
_ALWAYS: Final = {
    **_BAD,
    "401": ("NotSignedIn", "The caller is not signed in.", _OF_CALL),
    "403": ("Forbidden", "The caller may not do this, or has to do something else first.", _OF_CALL),
    "404": ("NotFound", "The object does not exist or is not visible to the caller.", _OF_CALL),
    "429": ("TooMany", "Too many attempts; `Retry-After` says when to try again.", _OF_CALL),
    "503": ("Unavailable", "A service is unavailable; `Retry-After` says when to try again.", _OF_CALL),
}
_WRITES: Final = {
    "405": ("NotAllowed", "The object does not take this method.", _OF_CALL),
    "409": ("Conflict", "Another request is changing the same object.", _OF_CALL),
    "413": ("TooLarge", "The body is larger than the route allows.", _OF_CALL),
    "415": ("MediaType", "The body has an unsupported media type.", _OF_CALL),
}
_METHODS: Final = ("get", "post", "put", "patch", "delete")


def add_to(document: dict[str, Any]) -> None:
    """Add the error answers to every operation, unless the operation describes that status itself."""
    every_refusal = {**_ALWAYS, **_WRITES}
    document.setdefault("components", {})["responses"] = {
        name: {"description": text, "content": {"application/json": {"schema": schema}}}
        for name, text, schema in every_refusal.values()
    }
    for item in document["paths"].values():
        for method in _METHODS:
            if method not in item:
                continue
            named = _ALWAYS if method == "get" else every_refusal
            for status, (name, _text, _schema) in named.items():
                item[method]["responses"].setdefault(status, {"$ref": f"#/components/responses/{name}"})
