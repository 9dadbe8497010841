"""What the web part passes on to the task monitor: pages and their data, and nothing that could change something."""

import re
from typing import Final

from django.http import HttpRequest

#: Paths below the prefix. Everything else of Flower is refused: its API, which can end workers and revoke tasks, its
#: metrics, and its own sign-in.
_PAGES: Final = re.compile(r"(?:workers|tasks|broker|worker/[^/]+|task/[^/]+)?")
_FILES: Final = re.compile(r"static/(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*")


def is_page(rest: str) -> bool:
    """Whether this is a page about workers and tasks."""
    return _PAGES.fullmatch(rest) is not None and ".." not in rest


def is_file(rest: str) -> bool:
    """Whether this is a script, style or picture of the pages."""
    return _FILES.fullmatch(rest) is not None


def is_opened_by_person(request: HttpRequest) -> bool:
    """Whether a page was opened, in contrast to a page that refreshes itself. Every current browser says so."""
    return request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"


def comes_from_own_page(request: HttpRequest) -> bool:
    """Whether a browser says that the request comes from a page of this server. Pages elsewhere cannot claim that."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    return request.headers.get("Origin", "") == f"{request.scheme}://{request.get_host()}"
