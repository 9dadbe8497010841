"""A command as a field of requests."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from postern.apps.jobs.command_snippets.models import MAX_COMMAND
from postern.foundation.rest.text import PlainTextField


class CommandField(PlainTextField):
    """A command of one or more lines. Line ends are stored as LF, because shells take CR as a character."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            max_length=MAX_COMMAND, trim_whitespace=False, style={"base_template": "textarea.html"}, **kwargs
        )

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data).replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if not text.strip():
            raise serializers.ValidationError(_("Enter a command."))
        return text
