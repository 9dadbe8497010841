"""The JSON Schema of the file, for editors and for other programs. It is published and has the version of the file."""

from typing import Any, Final

from postern.apps.plans.files.shapes import KINDS, NODES, RULES, VERSION, Field, Holds, Kind

_NAME: Final = {"type": "string", "minLength": 1}


def schema() -> dict[str, Any]:
    """The schema, in the dialect 2020-12. What it cannot say (unknown names, the order of dates) the plan checks."""
    lists = {kind.name: _list_of(kind) for kind in KINDS}
    prune = {kind.name: {"type": "boolean"} for kind in KINDS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:postern:access-plan:{VERSION}",
        "title": f"Postern access plan, version {VERSION}",
        "description": "Groups, nodes, permissions and command filters of an organization. What it does not name is kept.",
        "type": "object",
        "properties": {
            "version": {"const": VERSION, "description": "Version of the shape of this file."},
            "organization": {**_NAME, "maxLength": 128, "description": "Name of the organization."},
            **lists,
            "prune": {
                "type": "object",
                "description": "Kinds of which everything that this file does not name is deleted.",
                "properties": prune,
                "additionalProperties": False,
            },
        },
        "required": ["version", "organization"],
        "additionalProperties": False,
    }


def _list_of(kind: Kind) -> dict[str, Any]:
    if kind is NODES:
        path = {**_NAME, "maxLength": NODES.fields[0].longest, "pattern": "^/"}
        return {"type": "array", "description": kind.about, "items": path, "uniqueItems": True}
    entry = {
        "type": "object",
        "properties": {field.name: {**_of(field), "description": field.about} for field in kind.fields},
        "required": [field.name for field in kind.fields if field.is_required],
        "additionalProperties": False,
    }
    return {"type": "array", "description": kind.about, "items": entry}


def _of(field: Field) -> dict[str, Any]:
    if field.holds is Holds.SWITCH:
        return {"type": "boolean"}
    if field.holds is Holds.NUMBER:
        return {"type": "integer", "minimum": field.least, "maximum": field.most}
    if field.holds is Holds.INSTANT:
        return {"type": "string", "format": "date-time"}
    if field.holds is Holds.CHOICE:
        return {"type": "string", "enum": list(field.choices)}
    if field.holds is Holds.CHOICES:
        return {"type": "array", "items": {"type": "string", "enum": list(field.choices)}, "uniqueItems": True}
    if field.holds is Holds.NAMES:
        return {"type": "array", "items": {**_NAME, "maxLength": field.longest}, "uniqueItems": True}
    if field.holds is Holds.RULES:
        return _list_of(RULES)
    least = {"minLength": 1} if field.is_required or field.holds is Holds.NAME else {}
    return {"type": "string", **least, "maxLength": field.longest}
