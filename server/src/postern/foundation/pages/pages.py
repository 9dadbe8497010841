"""Mark for plain Django views that anybody may call: the console's files, redirects, health."""

from collections.abc import Callable
from typing import TypeVar

_View = TypeVar("_View", bound=Callable[..., object])


def open_page(view: _View) -> _View:
    """Declare that a plain view is meant for anyone; without it the start-up check fails."""
    view.open_page = True  # type: ignore[attr-defined]  # functions carry attributes
    return view
