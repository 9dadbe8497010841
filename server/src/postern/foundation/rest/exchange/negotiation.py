"""Which form an answer has: JSON, whatever the header Accept says; files are asked for by `format=` only."""

from collections.abc import Sequence
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class AlwaysJson(DefaultContentNegotiation):
    """A browser that downloads a file says that it wants csv; errors of a download are JSON all the same."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        del request, format_suffix
        known: Sequence[BaseRenderer] = renderers
        return known[0], known[0].media_type
