"""The rows of an export: which they are, and reading them a thousand at a time."""

from collections.abc import Iterator
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils.translation import gettext as _
from rest_framework.request import Request

from postern.foundation.database.prepared import as_stored
from postern.foundation.rest import keyed
from postern.foundation.rest.related import attach_amounts
from postern.kernel.errors import PosternError

#: Contract: conventions section 9. More is refused, never cut: a list that lacks rows without saying so misleads.
MAX_ROWS: Final = 10_000
#: Read at once, with all that hangs on them. Few enough for flat memory, enough that queries hardly count.
CHUNK_ROWS: Final = 1_000


class TooManyRows(PosternError):
    """More rows match than one file takes."""

    code = "too_many_rows"


def selected_keys(view: Any, *, limit: int | None = None) -> list[Any]:
    """Primary keys, in the order of the list, of the rows that the request's filters leave.

    `limit` and `offset` of the request take a part of them, `limit` of the caller goes before. Raises TooManyRows.
    """
    params = view.request.query_params
    keys = view.filter_queryset(view.get_queryset()).select_related(None).prefetch_related(None)
    keys = keys.values_list("pk", flat=True)
    offset = _number(view.request, "offset") or 0
    wanted = limit or (_number(view.request, "limit") if "limit" in params else None)
    if wanted is not None and wanted <= MAX_ROWS:
        return list(dict.fromkeys(keys[offset : offset + wanted]))
    found = list(dict.fromkeys(keys[offset : offset + MAX_ROWS + 1]))
    if len(found) > MAX_ROWS:
        raise TooManyRows(
            _("One file holds at most %(most)s rows, and there are %(count)s. Filter the list, or select rows.")
            % {"most": MAX_ROWS, "count": keys.count()}
        )
    return found


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0 else None


def in_chunks(view: Any, keys: list[Any]) -> Iterator[list[Any]]:
    """The rows of these keys in their order, as the list reads them. A row that was deleted meanwhile is left out.

    Whether a row is seen, and meets the conditions, was decided for all of them at once when the keys were read.
    """
    database = connections[DEFAULT_DB_ALIAS]
    for some in (keys[start : start + CHUNK_ROWS] for start in range(0, len(keys), CHUNK_ROWS)):
        found = keyed.read(view.get_queryset(), [as_stored(key, database) for key in some])
        attach_amounts(view, found)
        yield found
