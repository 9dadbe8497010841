"""Whether the licensed features are open, and the refusal where they are not (K75).

A view closes itself without a valid licence by `needs_licence = True` (see `foundation.rest.views`). Where only some objects need
one, an action or a view calls `require()`. The licence app provides the answer.
"""

from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext as _

from postern.foundation.provided import Provided
from postern.kernel.errors import NotAllowed

#: Whether a valid licence is installed now.
LICENCE: Final = Provided[Callable[[], bool]]("whether a valid licence is installed")


class LicenceRequired(NotAllowed):
    """The feature is licensed, and no valid licence is installed."""

    code = "licence_required"


def is_open() -> bool:
    """Whether the licensed features are open."""
    return LICENCE.value()


def require() -> None:
    """Raise LicenceRequired unless a valid licence is installed."""
    if not is_open():
        raise LicenceRequired(_("This feature needs a valid licence. A super administrator can install one."))
