"""The shape of the answer to a check, for the API description."""

from typing import Any

from rest_framework import serializers


class _Described(serializers.Serializer[Any]):
    """A field `errors_` is described as `errors`: serializers have attributes of some of these names."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}


class UniqueValue(_Described):
    """A unique constraint that a row sets, with a digest of its values."""

    fields_ = serializers.ListField(child=serializers.CharField())
    value = serializers.CharField()


class CellChange(serializers.Serializer[Any]):
    """A value that an update changes; secrets are only named."""

    before = serializers.JSONField(required=False, allow_null=True)
    after = serializers.JSONField(required=False, allow_null=True)
    is_secret = serializers.BooleanField(required=False)


class CellCorrection(_Described):
    """The one obvious correction of a cell."""

    field = serializers.CharField()
    value = serializers.JSONField()
    label_ = serializers.CharField()


class TakenBy(serializers.Serializer[Any]):
    """The object that has the unique value of a refused row."""

    id = serializers.CharField()
    name = serializers.CharField()


class CheckedRow(_Described):
    """What the write of one row would do."""

    outcome = serializers.ChoiceField(choices=["create", "update", "refused"])
    id = serializers.CharField(required=False)
    unique = UniqueValue(many=True, required=False)
    changes = serializers.DictField(child=CellChange(), required=False)
    errors_ = serializers.DictField(required=False)
    corrections = CellCorrection(many=True, required=False)
    taken_by = TakenBy(required=False)
