"""The list envelope: only when the client sends `limit` (contract: conventions section 5)."""

from typing import Any, Final

from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

#: The contract knows no maximum; ours keeps one answer within memory.
MAX_LIMIT: Final = 10_000


class OptionalLimitPagination(LimitOffsetPagination):
    """Without `limit` a bare array, with it `{count, next, previous, results}`."""

    default_limit = None
    max_limit = MAX_LIMIT

    def get_limit(self, request: Request) -> int | None:
        raw: Any = request.query_params.get(self.limit_query_param)
        if raw is None:
            return None
        try:
            limit = int(raw)
        except ValueError:
            limit = MAX_LIMIT
        return min(limit, MAX_LIMIT) if limit > 0 else MAX_LIMIT
