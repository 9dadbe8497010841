"""What viewsets get: `?format=csv|xlsx` on lists, and `render-to-json/` where rows can be made or changed.

A viewset narrows it by class attributes:

- `exportable = False`: no files from this list;
- `importable = False`: no `render-to-json/`;
- `exchange_fields = ("name", …)`: only these fields stand in files, whichever way;
- `examples = {"hostname": "web-01"}`: cells of the row that shows how to fill a template;
- `export_needs_mfa = True`: an export is answered with 400 `mfa_verify_required` until a code was entered of late (`fresh_mfa`).
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
    """The attributes, for every viewset."""

    exportable: ClassVar[bool] = True
    importable: ClassVar[bool] = False
    exchange_fields: ClassVar[tuple[str, ...] | None] = None
    export_needs_mfa: ClassVar[bool] = False
    #: Field → its cell in the example row of an import template, or a function of the view that gives it.
    examples: ClassVar[Mapping[str, Any]] = {}

    content_negotiation_class: type[BaseContentNegotiation] = AlwaysJson


class ExportMixin(ListModelMixin):
    """The list as a file when the query asks for one; otherwise as ever. The right is that of the list."""

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        file_format = exporting.asked_format(self)
        return super().list(request, *args, **kwargs) if file_format is None else exporting.export(self, file_format)


class UnreadBody(BaseParser):
    """Leaves the body of an upload alone, whatever its type: the CSRF check looks for a form field, and must find none."""

    media_type = "*/*"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return {}


class ImportMixin(Exchangeable):
    """`POST {list}render-to-json/`, with the right to create (or to update, where nothing is created)."""

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
        """The route is there only where importing makes sense."""
        found: list[Any] = super().get_extra_actions()  # type: ignore[misc]  # of ViewSetMixin, which comes after this class
        return [one for one in found if cls.importable or one.__name__ != "render_to_json"]
