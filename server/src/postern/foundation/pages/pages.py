"""Marks plain Django views that are open to anyone: console files, redirects, health."""

from collections.abc import Callable
from typing import TypeVar

_View = TypeVar("_View", bound=Callable[..., object])


def open_page(view: _View) -> _View:
    """Declare that a plain view is open to anyone. Views without this mark fail the start-up check."""
    view.open_page = True  # type: ignore[attr-defined]  # functions carry attributes
    return view
