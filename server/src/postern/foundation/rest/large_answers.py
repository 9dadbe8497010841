"""JSON of answers with tens of thousands of parts, such as whole trees."""

from collections.abc import Sequence
from typing import Any

import msgspec
from django.http import HttpResponse


def large_answer(rows: Sequence[Any]) -> HttpResponse:
    """A JSON array of plain values.

    REST framework's renderer takes five times as long, and holds the array once more as text.
    """
    return HttpResponse(msgspec.json.encode(rows), content_type="application/json")
