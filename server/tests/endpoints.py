"""All endpoints, read from the URL configuration and the websocket routes, for tests that cover all of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.admindocs.views import simplify_regex
from django.urls import URLPattern

from postern.entrypoints.websockets import websocket_urlpatterns
from postern.foundation.checks import methods_of, view_of, walk
from postern.foundation.rest.rights import Right, rights_of_view
from postern.foundation.rest.views import PosternView

#: The roles of the authorization matrix, from the fewest rights to the most.
ROLES = ("anonymous", "user", "auditor", "org_admin", "system_auditor", "admin")
SAMPLE_ID = "6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11"
SIGN_IN = "/api/v1/authentication/sign-in/"
PASSWORD = "plum orbit cactus 41"


@dataclass(frozen=True)
class Endpoint:
    """A path and method, a websocket (method WS), or a kind of message of a websocket (method WS:Name)."""

    path: str
    method: str
    right: str

    @property
    def url(self) -> str:
        return re.sub(r"<(?:int:)[^>]+>", "1", re.sub(r"<(?!int:)[^>]+>", SAMPLE_ID, self.path))


def _text(right: Any) -> str:
    return str(right.value) if isinstance(right, Right) else "|".join(alternative.value for alternative in right)


def path_of(route: str) -> str:
    """`/api/v1/^users/(?P<pk>[^/.]+)/$` → `/api/v1/users/<pk>/`."""
    if "(?P<" in route or "^" in route:
        route = simplify_regex(route.replace("^", "").replace("$", ""))
    return re.sub(r"<(?!int:)(?:\w+:)?(\w+)>", r"<\1>", route)


def _http(path: str, pattern: URLPattern) -> Iterator[Endpoint]:
    view = view_of(pattern)
    if isinstance(view, PosternView):
        rights = rights_of_view(view)
        for method in sorted(methods_of(view)):
            yield Endpoint(path, method, _text(rights[method]) if method in rights else "none")
    else:
        yield Endpoint(path, "GET", "page")


def endpoints() -> list[Endpoint]:
    """All endpoints of the product."""
    listed = [endpoint for route, pattern in walk() for endpoint in _http(path_of(route), pattern)]
    for route in websocket_urlpatterns:
        consumer: Any = getattr(route.callback, "consumer_class", route.callback)
        path, right = "/" + path_of(str(route.pattern)).lstrip("/"), _text(consumer.rights)
        listed.append(Endpoint(path, "WS", right))
        listed += [Endpoint(path, f"WS:{message.__name__}", right) for message in getattr(consumer, "messages", ())]
    return sorted(set(listed), key=lambda endpoint: (endpoint.path, endpoint.method))


ENDPOINTS = endpoints()
HTTP = [endpoint for endpoint in ENDPOINTS if not endpoint.method.startswith("WS")]
