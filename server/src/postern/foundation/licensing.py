"""Whether the licensed features are open, and the refusal where they are not (K75).

A view closes itself without a valid licence by `needs_licence = True` (see `foundation.rest.views`). Where only some objects need
one, an action or a view calls `require()`. The licence app registers the answer in `AppConfig.ready`.
"""

from collections.abc import Callable

from django.utils.translation import gettext as _

from postern.kernel.errors import NotAllowed


class LicenceRequired(NotAllowed):
    """The feature is licensed, and no valid licence is installed."""

    code = "licence_required"


class _Hook:
    is_open: Callable[[], bool] | None = None


def register(is_open: Callable[[], bool]) -> None:
    """`is_open()` tells whether a valid licence is installed now."""
    _Hook.is_open = staticmethod(is_open)


def is_open() -> bool:
    """Whether the licensed features are open; without the licence app they are closed."""
    return bool(_Hook.is_open and _Hook.is_open())


def require() -> None:
    """Raise LicenceRequired unless a valid licence is installed."""
    if not is_open():
        raise LicenceRequired(_("This feature needs a valid licence. A super administrator can install one."))
