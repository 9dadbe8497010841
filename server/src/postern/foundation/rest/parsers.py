"""The JSON parser of the API: JSON that it cannot represent is a parse error (400) instead of a server error."""

from collections.abc import Mapping
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class BoundedJsonParser(JSONParser):
    r"""JSON nested as deeply as Python allows, with valid Unicode text only.

    Lone surrogates (`"\\ud800"`) are valid JSON, but no database can store them.
    """

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            parsed = super().parse(stream, media_type, parser_context)
            _refuse_surrogates(parsed)
        except RecursionError:
            raise ParseError(_("The JSON is nested too deeply.")) from None
        return parsed


def _refuse_surrogates(value: Any) -> None:
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise ParseError(_("The JSON contains text that is not valid Unicode.")) from None
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_surrogates(key)
            _refuse_surrogates(item)
    elif isinstance(value, list):
        for item in value:
            _refuse_surrogates(item)
