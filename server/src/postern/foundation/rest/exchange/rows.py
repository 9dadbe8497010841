"""The rows of an export: selecting their keys, and reading them in chunks of a thousand."""

from collections.abc import Iterator
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils.translation import gettext as _
from rest_framework.request import Request

from postern.foundation.database.prepared import as_stored
from postern.foundation.rest import keyed
from postern.foundation.rest.related import attach_computed
from postern.kernel.errors import PosternError

#: Contract: conventions section 9. A longer list is refused, because a truncated export would look complete.
MAX_ROWS: Final = 10_000
#: Rows loaded at once with their relations: few enough to limit memory, enough to make the number of queries small.
CHUNK_ROWS: Final = 1_000


class TooManyRows(PosternError):
    """More rows match than one file may contain."""

    code = "too_many_rows"


def selected_keys(view: Any, *, limit: int | None = None) -> list[Any]:
    """Primary keys of the rows that match the request's filters, in the order of the list.

    The `limit` and `offset` of the request select a part of them; the parameter `limit` overrides the request's. Raises
    TooManyRows.
    """
    params = view.request.query_params
    keys = view.filter_queryset(view.get_queryset()).select_related(None).prefetch_related(None)
    keys = keys.values_list("pk", flat=True)
    offset = _number(view.request, "offset") or 0
    wanted = limit or (_number(view.request, "limit") if "limit" in params else None)
    if wanted is not None and wanted <= MAX_ROWS:
        return list(dict.fromkeys(keys[offset : offset + wanted]))
    selected = list(dict.fromkeys(keys[offset : offset + MAX_ROWS + 1]))
    if len(selected) > MAX_ROWS:
        raise TooManyRows(
            _("A file can contain at most %(most)s rows, but the list has %(count)s. Filter the list, or select rows.")
            % {"most": MAX_ROWS, "count": keys.count()}
        )
    return selected


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0 else None


def in_chunks(view: Any, keys: list[Any]) -> Iterator[list[Any]]:
    """The rows of these keys in order, in chunks. Rows that were deleted meanwhile are left out.

    Visibility and filters were applied when the keys were selected, and are not checked again.
    """
    database = connections[DEFAULT_DB_ALIAS]
    for chunk in (keys[start : start + CHUNK_ROWS] for start in range(0, len(keys), CHUNK_ROWS)):
        chunk_rows = keyed.read(view.get_queryset(), [as_stored(key, database) for key in chunk])
        attach_computed(view, chunk_rows)
        yield chunk_rows
