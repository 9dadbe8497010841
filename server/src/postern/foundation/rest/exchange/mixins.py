"""Import and export for viewsets: `?format=csv|xlsx` on lists, and `render-to-json/` where rows can be created or
changed.

Class attributes of a viewset limit it:

- `exportable = False`: this list cannot be exported;
- `importable = False`: no `render-to-json/`;
- `exchange_fields = ("name", …)`: imports and exports contain only these fields;
- `examples = {"hostname": "web-01"}`: cells of the example row in a template;
- `export_needs_mfa = True`: an export needs a recent code of the second factor (400 `mfa_verify_required`, see
  `fresh_mfa`).
"""

from collections.abc import Mapping
from typing import IO, Any, ClassVar

from django.http import HttpResponseBase
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from postern.foundation.rest.exchange import exporting, importing
from postern.foundation.rest.exchange.negotiation import AlwaysJson


class Exchangeable:
    """The class attributes for import and export, with their defaults."""

    exportable: ClassVar[bool] = True
    importable: ClassVar[bool] = False
    exchange_fields: ClassVar[tuple[str, ...] | None] = None
    export_needs_mfa: ClassVar[bool] = False
    #: Field → its cell in the example row of an import template, or a function that returns the cell for a view.
    examples: ClassVar[Mapping[str, Any]] = {}

    content_negotiation_class: type[BaseContentNegotiation] = AlwaysJson


class ExportMixin(ListModelMixin):
    """The list as a file when the query has `format=`; otherwise as JSON. Both need the right to list."""

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        file_format = exporting.asked_format(self)
        return super().list(request, *args, **kwargs) if file_format is None else exporting.export(self, file_format)


class UnreadBody(BaseParser):
    """Leaves the body of an upload unread, whatever its type: the CSRF check looks for a form field and must not find
    one.
    """

    media_type = "*/*"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return {}


class ImportMixin(Exchangeable):
    """`POST {list}render-to-json/`, with the right to create (or to update, if the viewset cannot create)."""

    importable = True

    @action(
        detail=False,
        methods=["post"],
        url_path="render-to-json",
        url_name="render-to-json",
        parser_classes=[UnreadBody],
    )
    def render_to_json(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """The rows of an uploaded csv or xlsx file: `{"title": [[column, field]], "data": [{field: value}]}`."""
        return importing.render(self)

    @classmethod
    def get_extra_actions(cls) -> list[Any]:
        """Leave the route out where the viewset is not importable."""
        actions: list[Any] = super().get_extra_actions()  # type: ignore[misc]  # of ViewSetMixin, which comes after this class
        return [extra_action for extra_action in actions if cls.importable or extra_action.__name__ != "render_to_json"]
