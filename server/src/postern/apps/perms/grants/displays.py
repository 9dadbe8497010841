"""Display names of the objects in a permission."""

from typing import Any, Final

from rest_framework import serializers

from postern.apps.assets.models import Asset, Node
from postern.apps.users.models import User
from postern.foundation.rest.related import prefetched
from postern.foundation.rest.text import PlainField

_MAX_DISPLAYS: Final = 10_000


def display_of(instance: Any) -> str:
    """Display name of a linked object in `*_display` lists."""
    if isinstance(instance, Node):
        return instance.full_value
    if isinstance(instance, Asset | User):
        return str(instance)
    name: str = instance.name
    return name


class DisplayField(serializers.CharField):
    """Display name of the object at the other end of a link."""

    def __init__(self, column: str) -> None:
        super().__init__(read_only=True)
        self._column = column

    def get_attribute(self, instance: Any) -> str:
        return display_of(getattr(instance, self._column))


class DisplayListField(serializers.ListField):
    """Names of linked objects: read by tables, written by imports instead of ids. Unknown names are ignored."""

    def __init__(self, list_name: str, **kwargs: Any) -> None:
        self.list_name = list_name
        kwargs |= {"child": PlainField(max_length=4096), "required": False, "max_length": _MAX_DISPLAYS}
        super().__init__(**kwargs)

    def get_attribute(self, instance: Any) -> list[str]:
        return [display_of(related) for related in prefetched(instance, self.list_name)]
