"""Start-up checks: every API route declares its right, and lists name only columns that exist.

A route without a right is refused at run time anyway (default deny); the check reports it before the first request.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver, get_resolver

from postern.foundation.rest.declared_names import unknown_names
from postern.foundation.rest.rights import rights_of_view
from postern.foundation.rest.views import PosternView


def walk(resolver: URLResolver | None = None, prefix: str = "/") -> Iterator[tuple[str, URLPattern]]:
    """Every URL pattern with its full path as written in the URL configuration."""
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from walk(entry, path)
        elif isinstance(entry, URLPattern):
            yield path, entry


def view_of(pattern: URLPattern) -> Any:
    """An instance of the view class of a pattern, with its action map set; or the plain view function."""
    callback: Any = pattern.callback
    view_class = getattr(callback, "cls", None) or getattr(callback, "view_class", None)
    if view_class is None:
        return callback
    view = view_class(**getattr(callback, "initkwargs", {}))
    actions = getattr(callback, "actions", None)
    if actions:
        view.action_map = actions
    return view


def methods_of(view: Any) -> set[str]:
    """The HTTP methods of a view, without HEAD, OPTIONS and TRACE."""
    action_map = getattr(view, "action_map", None)
    if action_map:
        return {method.upper() for method in action_map} - {"HEAD", "OPTIONS", "TRACE"}
    names = getattr(view, "http_method_names", ())
    return {name.upper() for name in names if hasattr(view, name)} - {"HEAD", "OPTIONS", "TRACE"}


def refuse_undeclared(websocket_patterns: Iterable[URLPattern]) -> None:
    """Raise ImproperlyConfigured when a route, method or websocket declares no right, or a list names an unknown
    column.

    This imports all views.
    """
    errors = (*every_route_declares_its_rights(), *every_list_names_its_columns())
    faults = [str(error.msg) for error in errors]
    for route in websocket_patterns:
        consumer = getattr(route.callback, "consumer_class", route.callback)
        if not getattr(consumer, "rights", None):
            faults.append(f"/{route.pattern}: the websocket declares no right")
    if faults:
        raise ImproperlyConfigured("; ".join(faults))


def every_route_declares_its_rights(**_: Any) -> list[CheckMessage]:
    """A check error for each route or method without a right."""
    errors: list[CheckMessage] = []
    for path, pattern in walk():
        view = view_of(pattern)
        if isinstance(view, PosternView):
            missing = methods_of(view) - set(rights_of_view(view))
            if missing:
                errors.append(Error(f"{path}: no right declared for {', '.join(sorted(missing))}", id="postern.E001"))
        elif not getattr(view, "open_page", False):
            errors.append(Error(f"{path}: neither a PosternView nor marked @open_page", id="postern.E002"))
    return errors


def every_list_names_its_columns(**_: Any) -> list[CheckMessage]:
    """A check error for each name in a view's filters, search or order that is not a column."""
    views = {type(view): (path, view) for path, pattern in walk() if isinstance(view := view_of(pattern), PosternView)}
    return [
        Error(f"{path}: {fault}", id="postern.E003") for path, view in views.values() for fault in unknown_names(view)
    ]
