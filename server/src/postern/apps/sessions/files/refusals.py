"""Answers of the web plane itself: a `Problem` of the contract in the language of the browser."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from django.utils import translation
from django.utils.functional import Promise

from postern.contracts.files import FileProblem, Problem
from postern.foundation.requests.body_guard import Send

_HEADERS: Final[Mapping[str, str]] = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}


class Refused(Exception):
    """The request is answered with this status instead of being forwarded. `text` is a lazy translation."""

    def __init__(
        self, status: int, problem: FileProblem, text: str | Promise, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"{status} {problem}")
        self.status = status
        self.problem = problem
        self.text = text
        self.headers = dict(headers or {})


async def send_refusal(send: Send, refused: Refused, *, language: str, has_body: bool) -> None:
    """Send it as a whole answer; without its body to a HEAD request."""
    with translation.override(language):
        body = msgspec.json.encode(Problem(code=refused.problem, detail=str(refused.text)))
    headers = {**_HEADERS, "content-language": language, "content-length": str(len(body)), **refused.headers}
    start: dict[str, Any] = {
        "type": "http.response.start",
        "status": refused.status,
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
    }
    await send(start)
    await send({"type": "http.response.body", "body": body if has_body else b""})
