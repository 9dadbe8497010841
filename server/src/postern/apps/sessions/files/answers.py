"""What of a proxy's answer reaches the browser. Pure.

A proxy may be taken over, and its answers arrive at the origin of the console. So nothing that a browser could run
there leaves this module: types outside a short list become downloads, no header acts on the origin (cookies, redirects,
policies), and every answer is sandboxed.
"""

import re
from collections.abc import Iterable
from typing import Final

_SAFE_TYPES: Final = frozenset(
    {
        "application/json",
        "application/x-ndjson",
        "text/plain",
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/avif",
        "application/zip",
        "application/x-tar",
        "application/octet-stream",
    }
)
_UNKNOWN: Final = "application/octet-stream"
_CHARSET: Final = re.compile(r'charset="?([A-Za-z0-9._-]{1,40})"?')
#: Passed on as they are, if they are plain text.
_PASSED: Final = ("Content-Length", "Content-Range", "Accept-Ranges", "ETag", "Last-Modified")
_PLAIN: Final = re.compile(r"[ -~]{0,4096}")
_DISPOSITION: Final = re.compile(r"(?:attachment|inline)(?:;.*)?", re.IGNORECASE)
_PRIVATE: Final = frozenset({"private", "no-store"})
_KEPT_NOWHERE: Final = "private, no-store"
_ALWAYS: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
#: Answers that have no body.
BODILESS: Final = frozenset({204, 304})


def is_possible(status: int) -> bool:
    """Whether a proxy may answer so: it has no use for redirects and changes of protocol."""
    return 200 <= status < 300 or status == 304 or 400 <= status < 600


def browser_headers(status: int, headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The headers for the browser. Of several with the same name, the first counts."""
    told: dict[str, str] = {}
    for name, value in headers:
        if _PLAIN.fullmatch(value):
            told.setdefault(name.lower(), value)
    passed = {name: told[name.lower()] for name in _PASSED if name.lower() in told}
    if status in BODILESS:
        passed.pop("Content-Length", None)
        return {**passed, "Cache-Control": _caching(told), **_ALWAYS}
    return {**passed, **_content(told), "Cache-Control": _caching(told), **_ALWAYS}


def _content(told: dict[str, str]) -> dict[str, str]:
    """Type and disposition."""
    media_type, _, parameters = told.get("content-type", "").partition(";")
    media_type = media_type.strip().lower()
    disposition = told.get("content-disposition", "")
    if not _DISPOSITION.fullmatch(disposition):
        disposition = ""
    if media_type not in _SAFE_TYPES:
        is_download = disposition.lower().startswith("attachment")
        return {"Content-Type": _UNKNOWN, "Content-Disposition": disposition if is_download else "attachment"}
    charset = _CHARSET.fullmatch(parameters.strip())
    stated = f"{media_type}; charset={charset[1]}" if charset and media_type == "text/plain" else media_type
    return {"Content-Type": stated} | ({"Content-Disposition": disposition} if disposition else {})


def _caching(told: dict[str, str]) -> str:
    """What the proxy states, unless others could keep the answer, too."""
    stated = told.get("cache-control", "")
    directives = {part.strip().lower() for part in stated.split(",")}
    return stated if directives & _PRIVATE and "public" not in directives else _KEPT_NOWHERE
