"""Content negotiation: answers are JSON whatever the header `Accept` says; only `format=` selects a file."""

from collections.abc import Sequence
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class AlwaysJson(DefaultContentNegotiation):
    """Always JSON. A browser that downloads a file accepts csv, but errors of a download are JSON, too."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        del request, format_suffix
        known: Sequence[BaseRenderer] = renderers
        return known[0], known[0].media_type
