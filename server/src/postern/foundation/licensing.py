"""Whether licensed features are available, and the refusal when they are not (K75: the server decides about licences).

A view with `needs_licence = True` is closed without a valid licence (see `foundation.rest.views`). Where only some
objects need a licence, the action or view calls `require()`. The licence app provides the answer.
"""

from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext as _

from postern.foundation.provided import Provided
from postern.kernel.errors import NotAllowed

#: Returns whether a valid licence is installed now.
LICENCE: Final = Provided[Callable[[], bool]]("whether a valid licence is installed")


class LicenceRequired(NotAllowed):
    """The feature needs a licence, and no valid licence is installed."""

    code = "licence_required"


def is_open() -> bool:
    """Whether the licensed features are available."""
    return LICENCE.value()


def require() -> None:
    """Raise LicenceRequired unless a valid licence is installed."""
    if not is_open():
        raise LicenceRequired(_("This feature needs a valid licence. A super administrator can install one."))
