"""Old spellings of API paths, redirected with 307, which preserves method and body (contract: conventions section 1).

The redirect target is checked like any other request, so an old spelling cannot bypass a check.
"""

from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse

from postern.foundation.pages.pages import open_page

#: app → singular resource name → plural
_PLURALS: Final = {
    "assets": {
        "admin-user": "admin-users",
        "system-user": "system-users",
        "domain": "domains",
        "gateway": "gateways",
        "cmd-filter": "cmd-filters",
        "asset-user": "asset-users",
    },
    "perms": {
        "user": "users",
        "user-group": "user-groups",
        "asset-permission": "asset-permissions",
        "remote-app-permission": "remote-app-permissions",
    },
    "terminal": {"terminal": "terminals", "command": "commands"},
}


class Redirect307(HttpResponseRedirect):
    status_code = 307


@open_page
def legacy_api(request: HttpRequest, app: str, rest: str) -> HttpResponse:
    """`/api/{app}/v1/…` → `/api/v1/{app}/…`."""
    return _redirect(request, f"/api/v1/{app}/{rest}")


@open_page
def singular_alias(request: HttpRequest, app: str, resource: str, rest: str) -> HttpResponse:
    """`/api/v1/assets/domain/…` → `/api/v1/assets/domains/…`."""
    plural = _PLURALS.get(app, {}).get(resource)
    if plural is None:
        return JsonResponse({"error": "Not found"}, status=404)
    return _redirect(request, f"/api/v1/{app}/{plural}/{rest}")


def _redirect(request: HttpRequest, path: str) -> HttpResponse:
    if "//" in path or "\\" in path or ".." in path.split("/"):
        return JsonResponse({"error": "Not found"}, status=404)
    query = request.META.get("QUERY_STRING", "")
    return Redirect307(f"{path}?{query}" if query else path)


SINGULAR: Final = tuple((app, resource) for app, names in _PLURALS.items() for resource in names)
