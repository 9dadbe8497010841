"""Display names of the objects in a permission."""

from typing import Any

from rest_framework import serializers

from postern.apps.assets.models import Asset, Node
from postern.apps.users.models import User


def display_of(one: Any) -> str:
    """Display name of a linked object in `*_display` lists."""
    if isinstance(one, Node):
        return one.full_value
    if isinstance(one, Asset | User):
        return str(one)
    name: str = one.name
    return name


class DisplayField(serializers.CharField):
    """Display name of the object at the other end of a link."""

    def __init__(self, column: str) -> None:
        super().__init__(read_only=True)
        self._column = column

    def get_attribute(self, instance: Any) -> str:
        return display_of(getattr(instance, self._column))
