"""Every HTTP route and websocket declares who may call it (K4: routes without a declaration are closed)."""

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, path

from postern.entrypoints.websockets import websocket_urlpatterns
from postern.foundation.checks import every_route_declares_its_rights, methods_of, refuse_undeclared, view_of, walk
from postern.foundation.pages.pages import open_page
from postern.foundation.rest.rights import Right, rights_of_view
from postern.foundation.rest.views import PosternView

ROUTES = list(walk())


def test_k4_every_route_declares_its_rights() -> None:
    assert every_route_declares_its_rights() == []


def test_system_checks_report_nothing() -> None:
    assert run_checks() == []


@pytest.mark.parametrize(("route", "pattern"), ROUTES, ids=[route for route, _ in ROUTES])
def test_k4_view_replaces_neither_permission_nor_error_handling(route: str, pattern: URLPattern) -> None:
    view = view_of(pattern)
    if not isinstance(view, PosternView):
        assert getattr(view, "open_page", False)
        return
    assert [permission.__name__ for permission in view.permission_classes] == ["RightsPermission"]
    for method, right in rights_of_view(view).items():
        assert isinstance(right, Right | tuple), (route, method)


def test_k4_route_without_a_declaration_is_reported() -> None:
    class Silent(PosternView):
        def get(self) -> None: ...

    view = Silent()
    assert methods_of(view) == {"GET"}
    assert rights_of_view(view) == {}


def test_k75_every_route_of_the_extension_needs_a_licence_except_those_that_install_one() -> None:
    """A new route below xpack/ that forgets the declaration fails here."""
    paths = [(route.replace("^", ""), pattern) for route, pattern in ROUTES]
    needs_licence = {
        path: view_of(pattern).needs_licence for path, pattern in paths if path.startswith("/api/v1/xpack/")
    }
    opening = {"/api/v1/xpack/license/detail", "/api/v1/xpack/license/import"}
    assert {route for route, needs in needs_licence.items() if not needs} == opening
    assert len(needs_licence) > len(opening)


def test_k19_websocket_consumers_declare_their_right() -> None:
    for route in websocket_urlpatterns:
        consumer = getattr(route.callback, "consumer_class", route.callback)
        assert isinstance(consumer.rights, Right | tuple), f"{route.pattern}: {consumer} declares no right"


def test_k19_start_with_an_undeclared_websocket_is_refused() -> None:
    async def silent() -> None: ...

    refuse_undeclared(websocket_urlpatterns)
    with pytest.raises(ImproperlyConfigured, match="declares no right"):
        refuse_undeclared([path("ws/silent/", silent)])  # type: ignore[arg-type]  # Django's `path` is typed for views


def test_open_pages_need_an_explicit_mark() -> None:
    def page() -> None: ...

    assert not getattr(page, "open_page", False)
    assert open_page(page).open_page  # type: ignore[attr-defined]  # set by the mark
