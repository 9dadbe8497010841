"""`/api/swagger.json`, `/api/swagger.yaml`, and the pages that display them: `/api/docs/` (Swagger UI) and
`/api/redoc/` (Redoc).

Redoc draws everything that it gets at once, which takes a minute for the whole API. So `/api/redoc/` lists the
resources, and `?of=assets/labels` is the reference of one resource.

The description is the same in every installation and not secret, but the API contract shows it to signed-in users only.
"""

from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import Final
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from rest_framework.request import Request

from postern.foundation.pages.pages import open_page
from postern.foundation.rest.openapi import document
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

_SIGN_IN: Final = "/core/auth/login/"
#: Both viewers insert styles into the page and support no Trusted Types; the policy makes no other exception for them.
_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)
_PAGE: Final = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Postern API</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><style>body{{margin:0}}</style>{styles}</head>'
    '<body>{before}<main id="api"></main>{scripts}</body></html>'
)
_INDEX: Final = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Postern API</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><style>:root{{color-scheme:light dark}}'
    "body{{font:16px/1.6 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}}"
    "ul{{list-style:none;margin:0;padding:0;columns:18rem}}h2{{margin:1.5rem 0 .25rem;font-size:1.1rem}}</style></head>"
    '<body><main><h1>Postern API</h1><p>The reference of each resource. <a href="/api/docs/">Try calls</a>, or get the '
    'whole description as <a href="/api/swagger.json">JSON</a> or <a href="/api/swagger.yaml">YAML</a>.</p>{areas}'
    "</main></body></html>"
)
_BACK: Final = '<nav style="padding:.5rem 1rem"><a href="/api/redoc/">All resources</a></nav>'
_VIEWERS: Final = {
    "docs": ("swagger-ui.css", "swagger-ui-bundle.js", "open-swagger.js"),
    "redoc": ("redoc.standalone.js", "open-redoc.js"),
}
_OF_THE_VIEWERS: Final = {
    "swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
    "swagger-ui-bundle.js": "swagger-ui-dist/swagger-ui-bundle.js",
    "redoc.standalone.js": "redoc/bundles/redoc.standalone.js",
}
_OWN: Final = frozenset({"open-swagger.js", "open-redoc.js"})


class JsonDescription(PosternView):
    """The OpenAPI document as JSON; with `?of=assets/labels`, the document of one resource."""

    rights = Right.VALID_USER
    always_root = True

    def get(self, request: Request) -> HttpResponse:
        resource = _resource(request)
        body = document.part_as_json(resource) if resource else document.as_json()
        return HttpResponse(body, content_type="application/json")


class YamlDescription(PosternView):
    """The OpenAPI document as YAML (RFC 9512)."""

    rights = Right.VALID_USER
    always_root = True

    def get(self, request: Request) -> HttpResponse:
        del request
        return HttpResponse(document.as_yaml(), content_type="application/yaml")


class ViewerPage(PosternView):
    """A page that displays the description. Users who are not signed in are redirected to the sign-in page and back."""

    rights = Right.ANYONE
    always_root = True
    viewer = "docs"

    def get(self, request: Request) -> HttpResponse:
        if not self.actor.is_valid_user:
            return HttpResponseRedirect(f"{_SIGN_IN}?{urlencode({'next': request.get_full_path()})}")
        resource = _resource(request)
        if self.viewer == "redoc" and not resource:
            return HttpResponse(_index(), headers={"Content-Security-Policy": _CSP})
        names = [f"/api/docs/files/{name}" for name in _VIEWERS[self.viewer]]
        styles = "".join(f'<link rel="stylesheet" href="{name}">' for name in names if name.endswith(".css"))
        scripts = "".join(f'<script src="{name}"></script>' for name in names if name.endswith(".js"))
        page = _PAGE.format(styles=styles, scripts=scripts, before=_BACK if resource else "")
        return HttpResponse(page, headers={"Content-Security-Policy": _CSP})


def _resource(request: Request) -> str:
    """The resource that `?of=` names; "" without it. Raises Http404 for a resource that does not exist."""
    name = request.query_params.get("of", "")
    if name and name not in document.resources():
        raise Http404
    return name


@cache
def _index() -> str:
    areas = "".join(
        f"<h2>{escape(area)}</h2><ul>{''.join(map(_entry, names))}</ul>"
        for area, names in groupby(document.resources(), key=lambda name: name.partition("/")[0])
    )
    return _INDEX.format(areas=areas)


def _entry(name: str) -> str:
    amount = document.resources()[name]
    return f'<li><a href="?{urlencode({"of": name})}">{escape(name)}</a> ({amount})</li>'


@open_page
@require_safe
@gzip_page
def viewer_file(request: HttpRequest, name: str) -> HttpResponse:
    """A script or style of the viewers: public, and only the known file names exist."""
    del request
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    return HttpResponse(
        _file(name), content_type=f"{kind}; charset=utf-8", headers={"Cache-Control": "public, max-age=86400"}
    )


@cache
def _file(name: str) -> bytes:
    if name in _OWN:
        place = files("postern.foundation.rest.openapi") / "files" / name
    elif name in _OF_THE_VIEWERS:
        place = files("drf_spectacular_sidecar") / "static/drf_spectacular_sidecar" / _OF_THE_VIEWERS[name]
    else:
        raise Http404
    return place.read_bytes()


urlpatterns = [
    path("api/swagger.json", JsonDescription.as_view(), name="openapi-json"),
    path("api/swagger.yaml", YamlDescription.as_view(), name="openapi-yaml"),
    path("api/docs/", ViewerPage.as_view(viewer="docs"), name="api-docs"),
    path("api/redoc/", ViewerPage.as_view(viewer="redoc"), name="api-redoc"),
    path("api/docs/files/<str:name>", viewer_file, name="api-docs-file"),
]
