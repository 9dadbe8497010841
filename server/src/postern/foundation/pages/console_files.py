"""Serves the built console under `/ui/`.

Hashed assets never change, so browsers cache them for a year. Every other path is a route of the console and returns
index.html, which browsers revalidate each time. The build provides compressed files (`.br`, `.gz`). Only files that a
scan of the build has found can be served: paths of clients never reach the file system.
"""

import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from postern.foundation.pages.pages import open_page
from postern.foundation.pages.redirects import HOME

_ENCODINGS: Final = (("br", ".br"), ("gzip", ".gz"))
_ONE_YEAR: Final = "public, max-age=31536000, immutable"
_ALWAYS_ASK: Final = "no-cache"
#: Folder of the hashed files, as in console/vite.config.ts. Not called `assets`, because that is a route of the
#: console.
_HASHED: Final = "bundle/"
_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
    ".json": "application/json",
}
_NOT_BUILT: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Postern</title>"
    "<p>The console has not been built yet: run <code>make run</code>, or <code>npm run build</code> in console/.</p>"
    "<p>控制台尚未构建:请运行 <code>make run</code>。</p>"
)


@dataclass(frozen=True, slots=True)
class _Asset:
    path: Path
    content_type: str
    immutable: bool
    encoded: tuple[tuple[str, Path], ...]


def _scan(root: Path) -> dict[str, _Asset]:
    """All files of the build, by path below `/ui/`."""
    files = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
    assets: dict[str, _Asset] = {}
    for name, path in files.items():
        if path.suffix in {".br", ".gz", ".map"} or name.startswith("."):
            continue
        kind = _TYPES.get(path.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        encoded = tuple((token, files[name + ending]) for token, ending in _ENCODINGS if name + ending in files)
        assets[name] = _Asset(path, kind, name.startswith(_HASHED), encoded)
    return assets


@cache
def _build(root: Path, stamp_ns: int) -> dict[str, _Asset]:
    del stamp_ns  # part of the cache key: a new build has a new index.html
    return _scan(root)


def _assets() -> dict[str, _Asset]:
    root: Path = settings.POSTERN.console_dist
    try:
        stamp_ns = (root / "index.html").stat().st_mtime_ns
    except FileNotFoundError:
        return {}
    return _build(root, stamp_ns)


@open_page
@require_safe
def serve_console(request: HttpRequest, name: str = "") -> HttpResponse:
    """A file of the console, or its index page for any other path."""
    assets = _assets()
    if not assets:
        return HttpResponse(_NOT_BUILT, status=503, headers={"Cache-Control": "no-store"})
    asset = assets.get(name)
    if asset is None and name.startswith(_HASHED):
        return HttpResponse("Not found", status=404, content_type="text/plain")
    asset = asset or assets["index.html"]
    accepted = {part.split(";")[0].strip() for part in request.headers.get("Accept-Encoding", "").split(",")}
    compressed = next(((token, path) for token, path in asset.encoded if token in accepted), None)
    # Read the whole file: the files are small, and ASGI would buffer a synchronous stream anyway.
    response = HttpResponse((compressed[1] if compressed else asset.path).read_bytes(), content_type=asset.content_type)
    if compressed:
        response.headers["Content-Encoding"] = compressed[0]
    response.headers["Cache-Control"] = _ONE_YEAR if asset.immutable else _ALWAYS_ASK
    patch_vary_headers(response, ("Accept-Encoding",))
    return response


@open_page
@require_safe
def go_to_terminal(request: HttpRequest) -> HttpResponse:
    """Redirect `/luna/`, the old path of the web terminal, with its query."""
    query = request.META.get("QUERY_STRING", "")
    return HttpResponseRedirect(f"{HOME}connect/" + (f"?{query}" if query else ""))


@open_page
@require_safe
def go_to_session(request: HttpRequest, session_id: str, tab: str) -> HttpResponse:
    """Redirect `/luna/replay/{id}` and `/luna/monitor/{id}`, the old paths of a session's replay and live view."""
    del request
    return HttpResponseRedirect(f"{HOME}terminal/sessions/{session_id}?activeTab={tab}")


@open_page
@require_safe
def go_to_job_log(request: HttpRequest, job_id: str) -> HttpResponse:
    """Redirect `/core/ops/celery/task/{id}/log/`, the old path of the log of a job."""
    del request
    return HttpResponseRedirect(f"{HOME}ops/celery/task/{job_id}/log/")


@open_page
@require_safe
def go_to_monitor(request: HttpRequest) -> HttpResponse:
    """Redirect `/core/flower/`, the old path of the task monitor, and everything below it."""
    del request
    return HttpResponseRedirect("/flower/")


@open_page
@require_safe
def go_to_files(request: HttpRequest) -> HttpResponse:
    """Redirect `/koko/elfinder/sftp/`, the old path of the file manager, with its query."""
    query = request.META.get("QUERY_STRING", "")
    return HttpResponseRedirect(f"{HOME}files/" + (f"?{query}" if query else ""))


@open_page
@require_safe
def go_home(request: HttpRequest) -> HttpResponse:
    """Redirect `/` and `/ui` to the console."""
    del request
    return HttpResponseRedirect(HOME)
