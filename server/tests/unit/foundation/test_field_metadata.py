"""The description of a field in OPTIONS."""

from typing import Any

import pytest
from rest_framework import serializers

from postern.foundation.rest.metadata import ContractMetadata


class _Attributes(serializers.Serializer[Any]):
    host = serializers.CharField(max_length=64)
    port = serializers.IntegerField(default=3306)


class _Thing(serializers.Serializer[Any]):
    id = serializers.UUIDField(read_only=True)
    name = serializers.CharField(max_length=64)
    password = serializers.CharField(write_only=True, required=False, default="never shown")
    is_active = serializers.BooleanField(default=True)
    attrs = _Attributes()


@pytest.mark.spec("S7-012")
def test_each_field_carries_read_only_write_only_default_and_children() -> None:
    fields: dict[str, Any] = ContractMetadata().get_serializer_info(_Thing())
    flags = {name: (field["read_only"], field["write_only"]) for name, field in fields.items()}
    assert flags == {
        "id": (True, False),
        "name": (False, False),
        "password": (False, True),
        "is_active": (False, False),
        "attrs": (False, False),
    }
    assert {name: field["default"] for name, field in fields.items() if "default" in field} == {"is_active": True}
    children = fields["attrs"]["children"]
    assert [name for name, field in fields.items() if "children" in field] == ["attrs"]
    assert set(children) == {"host", "port"}
    assert children["port"] | {"label": ""} == {
        "type": "integer",
        "required": False,
        "read_only": False,
        "write_only": False,
        "label": "",
        "default": 3306,
    }
