"""`GET first-run/`: the steps from an empty organization to the first connection, and which of them are done."""

from urllib.parse import urlsplit

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset, Connectivity
from postern.apps.preferences import facade as preferences
from postern.apps.sessions.first_run import queries
from postern.foundation.rest.openapi.answers import TEXT, Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.clock import now

_SITE_URL = "SITE_URL"
_ONLY_HERE = frozenset({"localhost", "127.0.0.1", "::1", ""})
_DONE = {"type": "boolean"}
_HOST = texts("connectivity_reason", "hostname", "id", connectivity={"type": "string", "enum": Connectivity.values})
_STEPS = ("account", "connect", "host", "permission", "person", "site_url")


class FirstRunView(PosternView):
    """The state of each step is computed from existing rows; nobody marks steps as done. `host`: whether a host was
    reached.
    """

    rights = {"GET": Right.ORG_ADMIN}
    answers = {
        "get": Answer(
            schema=texts(
                site_url=TEXT,
                host={"oneOf": [_HOST, {"type": "null"}]},
                steps={"type": "object", "properties": dict.fromkeys(_STEPS, _DONE), "required": list(_STEPS)},
            )
        )
    }

    def get(self, request: Request) -> Response:
        del request
        address = preferences.get_str(_SITE_URL)
        steps = queries.steps(self.actor, self.scope, now())
        steps["site_url"] = preferences.is_set(_SITE_URL) or urlsplit(address).hostname not in _ONLY_HERE
        host = queries.host(self.scope)
        shown = None if host is None else _shown(host)
        return Response({"site_url": address, "steps": steps, "host": shown})


def _shown(host: Asset) -> dict[str, str]:
    return {
        "connectivity": host.connectivity,
        "connectivity_reason": host.connectivity_why,
        "hostname": host.hostname,
        "id": str(host.pk),
    }


urlpatterns = [path("first-run/", FirstRunView.as_view())]
