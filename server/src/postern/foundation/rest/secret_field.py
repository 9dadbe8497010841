"""The field of a secret: it goes in and never comes out (K73)."""

from typing import Any

from rest_framework import serializers


class SecretField(serializers.CharField):
    """A write-only secret; blank keeps the stored secret."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs |= {
            "write_only": True,
            "required": False,
            "allow_blank": True,
            "allow_null": True,
            "trim_whitespace": False,
        }
        kwargs.setdefault("style", {"input_type": "password"})
        super().__init__(**kwargs)
